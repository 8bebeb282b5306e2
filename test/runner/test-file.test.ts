import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createTestWorker, type Outcome } from "./test-file.ts";

const directory = await mkdtemp(join(tmpdir(), "touchledger-runner-"));
const runner = createTestWorker(process.env, new AbortController().signal);
const limits = { testMs: 500, fileMs: 20_000, graceMs: 500, exitMs: 1_000 };
/** As in a file that `infra/build.js` has built. */
const head = `import { suite } from ${JSON.stringify(import.meta.resolve("./suite.js"))};\nconst it = suite("it");\n`;
let files = 0;

/** Runs a test file of this text in the one worker. */
async function run(text: string): Promise<Outcome> {
  files += 1;
  const file = join(directory, `file-${files}.test.mjs`);
  await writeFile(file, text);
  return runner.run(file, limits);
}

async function outcomeOf(text: string): Promise<Omit<Outcome, "output">> {
  const { passed, skipped, failures } = await run(text);
  return { passed, skipped, failures };
}

const testFile = suite("a test file");

testFile("counts what passed, failed and was skipped", async () => {
  const outcome = await outcomeOf(
    `${head}
    it("adds", () => {});
    it("waits", async () => { await null; });
    it("breaks", () => { throw new Error("broken", { cause: new TypeError("because\\nof this") }); });
    it.skip("reads the file (absent)");
    it.run();`,
  );
  const failures = ["it breaks: Error: broken <- TypeError: because of this"];
  assert.equal(outcome, { passed: 2, skipped: ["it reads the file (absent)"], failures });
});

testFile("runs suites that are declared after a top-level await", async () => {
  const outcome = await outcomeOf(
    `${head}
    it("adds", () => {});
    it.run();
    await new Promise((resolve) => setTimeout(resolve, 30));
    const other = suite("other");
    other("adds", () => {});
    other.run();`,
  );
  assert.equal(outcome, { passed: 2, skipped: [], failures: [] });
});

testFile("reports the failed assertion and the counterexample", async () => {
  const { failures } = await outcomeOf(
    `${head}
    import * as assert from ${JSON.stringify(import.meta.resolve("uvu/assert"))};
    import fc from ${JSON.stringify(import.meta.resolve("fast-check"))};
    it("is five", () => fc.assert(fc.property(fc.constant(7), (n) => { assert.is(n, 5); })));
    it.run();`,
  );
  assert.match(
    failures[0] ?? "",
    /^it is five: Error: Property failed .* Counterexample: \[7\] .* <- Assertion: .*5.*7/,
  );
});

testFile("fails when it has no test", async () => {
  assert.equal(await outcomeOf(head), { passed: 0, skipped: [], failures: ["no test ran"] });
});

testFile("fails when a suite is never run", async () => {
  assert.equal(await outcomeOf(`${head} it("adds", () => {});`), {
    passed: 0,
    skipped: [],
    failures: ['run() was never called: "it" with "adds"'],
  });
});

testFile("fails when a test is marked only", async () => {
  const outcome = await outcomeOf(`${head} it("adds", () => {}); it.only("waits", () => {}); it.run();`);
  assert.equal(outcome, { passed: 1, skipped: [], failures: ['"it waits" is marked "only"'] });
});

testFile("fails when two tests have one title, of which one might never run", async () => {
  const outcome = await outcomeOf(`${head} it("adds", () => {}); it("adds", () => {}); it.run();`);
  assert.equal(outcome, { passed: 2, skipped: [], failures: ['"it adds" is the title of two tests'] });
});

testFile("fails when a hook fails, which uvu swallows", async () => {
  const { failures, ...counts } = await outcomeOf(
    `${head} it.before(() => { throw new Error("no store"); }); it("adds", () => {}); it.run();`,
  );
  assert.equal(counts, { passed: 0, skipped: [] });
  assert.match(failures[0] ?? "", /^before of "it" failed: Error: no store/);
  assert.equal(failures.slice(1), ['never ran: "it" with "adds"']);
});

testFile("fails when it exits early, although without a failure", async () => {
  const outcome = await outcomeOf(`${head} it("exits", () => process.exit(0)); it.run();`);
  assert.equal(outcome, { passed: 0, skipped: [], failures: ["the process ended (exit 1) before its tests did"] });
});

testFile("fails the test that takes too long, by its name, and runs the next", async () => {
  const outcome = await outcomeOf(
    `${head}
    it("hangs", () => new Promise((resolve) => setTimeout(resolve, 60_000).unref()));
    it("adds", () => {});
    it.run();`,
  );
  assert.equal(outcome, { passed: 1, skipped: [], failures: ["it hangs: Error: took longer than 0.5 s"] });
});

testFile("is killed when a test blocks it", async () => {
  const outcome = await outcomeOf(`${head} it("spins", () => { for (;;); }); it.run();`);
  assert.equal(outcome.passed, 0);
  assert.match(outcome.failures[0] ?? "", /spins/);
});

testFile("is killed when it leaves something open", async () => {
  const outcome = await outcomeOf(`${head} it("opens", () => { setInterval(() => {}, 1000); }); it.run();`);
  assert.equal(outcome, {
    passed: 1,
    skipped: [],
    failures: ["something was still open 1 s after the last test"],
  });
});

testFile.run();

const worker = suite("a worker");
worker.after(async () => {
  await runner.end();
  await rm(directory, { recursive: true });
});

/** The outcome of a file whose one test is this code, and the id of its process. */
async function works(code: string) {
  const { failures, output } = await run(
    `${head} console.log("pid", process.pid); it("works", () => { ${code} }); it.run();`,
  );
  return { failures, output, pid: /^pid (\d+)$/m.exec(output)?.[1] ?? "" };
}

worker("runs one file after another in one process, and keeps apart what they print", async () => {
  const [one, other] = [await works(`console.log("first");`), await works(`console.log("second");`)];
  assert.is(one.pid, other.pid);
  assert.match(one.output, /first/);
  assert.match(other.output, /second/);
  assert.not.match(other.output, /first/);
});

const spoiling = {
  "has failed": "throw new Error();",
  "has ended the process": "process.exit(0);",
  "has crashed it": "process.nextTick(() => { throw new Error(); });",
  "has left something open": "setInterval(() => {}, 1_000);",
  "has changed the environment": `process.env.LEFT = "over";`,
  "has changed the working directory": `process.chdir("/");`,
  "has set a signal handler": `process.on("SIGTERM", () => {});`,
  "has replaced a global": "globalThis.setTimeout = () => {};",
  "has registered an OpenTelemetry SDK": `globalThis[Symbol.for("opentelemetry.js.api.1")] = {};`,
};
for (const [name, code] of Object.entries(spoiling)) {
  worker(`takes a fresh process after a file that ${name}`, async () => {
    const spoilt = await works(code);
    const next = await works("");
    assert.is.not(next.pid, spoilt.pid);
    assert.equal(next.failures, []);
  });
}

worker.run();
