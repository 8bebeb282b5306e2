import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ModelRuntimeMissing, startScorerProcess } from "../../../infra/scoring/scorer-process.ts";
import { temporaryDirectory } from "../../support/application-process.ts";
import { errorOf } from "../event-log/event-log-client.ts";

const starting = suite("a process that models run in");

starting("says why the package that runs models does not load", async () => {
  const directory = await temporaryDirectory();
  const broken = join(directory.path, "node_modules/onnxruntime-node");
  const program = join(directory.path, "scorer-child.mjs");
  await mkdir(broken, { recursive: true });
  await writeFile(join(broken, "index.js"), 'throw new Error("invalid ELF header")');
  await copyFile(fileURLToPath(new URL("../../../infra/scoring/scorer-child.js", import.meta.url)), program);

  const scorer = startScorerProcess(program);
  const failure = await errorOf(scorer.request("check", {}));
  const how = "cannot load onnxruntime-node: Error: invalid ELF header";
  assert.instance(failure, ModelRuntimeMissing);
  assert.is((failure as Error).message, `Models cannot run: the scorer ${how}. Run npm ci on this machine.`);
  assert.is(await scorer.ended, how);
  await directory.remove();
});

starting.run();
