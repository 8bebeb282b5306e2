import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const logModule = JSON.stringify(new URL("../../../infra/process/log.js", import.meta.url).href);
const program = `
  import { openLogger } from ${logModule};
  const values = { bindings: ["a-secret-device"], detail: "Failing row contains (a-secret-device).", where: "COPY, line 1" };
  const failure = Object.assign(new Error("no connection"), { sql: "select $1", ...values });
  openLogger("info").error({ err: failure, req: { headers: { authorization: "Bearer a-secret-token" } } }, "failed");
`;

const logging = suite("the log");

logging("has neither tokens nor the values of statements and rows", async () => {
  const words = ["--input-type=module", "--eval", program];
  const { stderr } = await promisify(execFile)(process.execPath, words);
  const { err, req } = JSON.parse(stderr);
  assert.equal([err.message, err.sql], ["no connection", "select $1"]);
  assert.equal([err.bindings, err.detail, err.where], Array(3).fill("[Redacted]"));
  assert.equal(req.headers.authorization, "[Redacted]");
});

for (const [what, statement, exitCode, message] of [
  ["a warning of Node", 'process.emitWarning("deprecated");', 0, "deprecated"],
  ["what nothing catches", 'setImmediate(() => { throw new Error("broken"); });', 1, "broken"],
  ["a promise that nothing catches", 'Promise.reject(new Error("broken"));', 1, "broken"],
] as const) {
  logging(`has ${what} as one JSON line`, async () => {
    const { stderr, code = 0 } = await promisify(execFile)(process.execPath, [
      "--input-type=module",
      "--eval",
      `import { logProcessFailures, openLogger } from ${logModule}; logProcessFailures(openLogger("info")); ${statement}`,
    ]).catch((failed) => failed);
    assert.is(code, exitCode);
    assert.is(JSON.parse(stderr).err.message, message);
  });
}

logging.run();
