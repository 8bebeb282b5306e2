// time limit: 120 s
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/paths.ts";
import { compilerErrors } from "./compile.ts";

const run = promisify(execFile);

/** Compiles only when the types are there: a wrong path is an error. */
const program = `
import { createClient, required } from "@touchledger/client";
const client = createClient({
  baseUrl: "http://api.example",
  token: "tl_api_token",
  fetch: async (request) => Response.json({ data: { userId: new URL(request.url).pathname } }),
});
const params = { path: { app_name: "shop", deviceId: "device-1" } };
const { data } = required(await client.GET("/events/v1/apps/{app_name}/devices/{deviceId}", { params }));
const userId: string = data.userId;
// @ts-expect-error there is no such path
void (() => client.GET("/nowhere"));
// @ts-expect-error a link has a channel
void (() => client.POST("/v1/tracking-links", { body: {} }));
process.stdout.write(userId);
`;

let folder: string;
const test = suite("the package of the client");
test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), "touchledger-client-"));
});
test.after(() => rm(folder, { recursive: true, force: true }));

test("is packed, installed, compiled against and run in an empty project", async () => {
  const source = join(folder, "source");
  await cp(join(root, "client"), join(source, "client"), { recursive: true });
  await cp(join(root, "tsconfig.json"), join(source, "tsconfig.json"));
  await symlink(join(root, "node_modules"), join(source, "node_modules"));
  await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: join(source, "client") });
  const packed = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  assert.equal(packed, ["touchledger-client-0.1.0.tgz"]);

  const project = join(folder, "project");
  await mkdir(project);
  const fromHere = (name: string) => `file:${join(root, "node_modules", name)}`;
  const dependencies = {
    "@touchledger/client": `file:../${packed[0]}`,
    "openapi-fetch": fromHere("openapi-fetch"),
    "openapi-typescript-helpers": fromHere("openapi-typescript-helpers"),
  };
  await writeFile(join(project, "package.json"), JSON.stringify({ type: "module", private: true, dependencies }));
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--silent", "--install-links"], {
    cwd: project,
  });
  assert.equal((await readdir(join(project, "node_modules/@touchledger/client"))).sort(), [
    "README.md",
    "dist",
    "package.json",
  ]);

  await writeFile(join(project, "program.ts"), program);
  const strict = { module: "NodeNext", target: "ES2023", strict: true, types: ["node"], outDir: "out" };
  const typeRoots = [join(root, "node_modules/@types")];
  const compilerOptions = { ...strict, typeRoots, skipLibCheck: true };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  assert.is(await compilerErrors(project), "");
  const { stdout } = await run(process.execPath, ["out/program.js"], { cwd: project });
  assert.is(stdout, "/events/v1/apps/shop/devices/device-1");
});

test.run();
