import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const moduleOf = (name: string): string =>
  JSON.stringify(new URL(`../../../infra/process/${name}.js`, import.meta.url).href);
const logModule = moduleOf("log");
const failuresModule = moduleOf("uncaught-failures");
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
      `import { openLogger } from ${logModule};
       import { logProcessFailures } from ${failuresModule};
       logProcessFailures(openLogger("info"));
       ${statement}`,
    ]).catch((failed) => failed);
    assert.is(code, exitCode);
    assert.is(JSON.parse(stderr).err.message, message);
  });
}

logging("has a fatal line longer than a pipe holds", async () => {
  const { stderr } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "--eval",
    // Node makes the pipe non-blocking once it has opened it.
    `import { openLogger } from ${logModule}; process.stderr; openLogger("info").fatal("x".repeat(900_000)); process.exit(0);`,
  ]);
  assert.is(JSON.parse(stderr).msg.length, 900_000);
});

logging("has the last line before an exit", async () => {
  const { stderr } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "--eval",
    `import { openLogger } from ${logModule}; openLogger("info").info("last"); process.exit(0);`,
  ]);
  assert.is(JSON.parse(stderr).msg, "last");
});

const fullDisk = suite("a process whose log is on a full disk");

for (const [what, statement, exitCode, printed] of [
  ["runs on", 'console.log("ran on"); process.exit(0);', 0, "ran on\n"],
  ["ends on what nothing catches", 'throw new Error("broken");', 1, ""],
  ["ends by itself", "", 0, ""],
  ["exits", 'log.error("last line"); process.exit(3);', 3, ""],
] as const) {
  fullDisk(what, async () => {
    if (process.platform !== "linux") return;
    const full = await open("/dev/full", "w");
    const script = `
      import { promises } from "node:fs";
      import { openLogger } from ${logModule};
      import { logProcessFailures } from ${failuresModule};
      const log = openLogger("info");
      logProcessFailures(log);
      log.info("first line");
      const full = await promises.open("/dev/full", "w");
      for (let write = 0; write < 20; write += 1) await full.write("x").catch(() => {});
      await full.close();
      ${statement}`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      stdio: ["ignore", "pipe", full.fd],
      timeout: 20_000,
    });
    const [output, [code]] = await Promise.all([text(child.stdout as Readable), once(child, "exit")]);
    await full.close();
    assert.equal([code, output], [exitCode, printed]);
  });
}

logging.run();
fullDisk.run();
