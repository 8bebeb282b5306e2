// time limit: 120 s
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { document } from "../support/documented-responses.ts";
import { root } from "../support/paths.ts";
import { compilerErrors } from "./compile.ts";

const test = suite("the TypeScript examples of the document");

test("compile against the client, each of them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "touchledger-samples-"));
  try {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const files = operations.map(({ operationId, "x-codeSamples": samples }) => ({
      path: join(folder, `${operationId}.ts`),
      source: samples.find(({ lang }) => lang === "TypeScript")?.source ?? "",
    }));
    assert.ok(files.length > 50 && files.every(({ source }) => source.includes("await client.")));
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    for (const { path, source } of files) await writeFile(path, source);
    const compilerOptions = {
      ...{ module: "NodeNext", target: "ES2023", strict: true, skipLibCheck: true, noEmit: true },
      ...{ allowImportingTsExtensions: true, moduleDetection: "force" },
      ...{ types: ["node"], typeRoots: [join(root, "node_modules/@types")] },
      paths: { "@touchledger/client": [join(root, "client/index.ts")] },
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    assert.is(await compilerErrors(folder), "");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test.run();
