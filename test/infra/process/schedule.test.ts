import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const moduleOf = (name: string) => JSON.stringify(new URL(`../../../infra/process/${name}.js`, import.meta.url).href);
const program = `
  import { openLogger } from ${moduleOf("log")};
  import { createSchedule } from ${moduleOf("schedule")};
  const stop = createSchedule(openLogger("info"))("* * * * * *", () => {
    setImmediate(stop);
    throw new Error("broken");
  });
`;

const scheduled = suite("a scheduled call");

scheduled("that fails is one JSON line on standard error, and the process goes on until it is stopped", async () => {
  const { stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  assert.is(JSON.parse(stderr).err.message, "broken");
});

scheduled.run();
