import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createTestWorker, type Outcome } from "./test-file.ts";

const testFile = suite<{ directory: string }>("a test file");

testFile.before(async (given) => {
  given.directory = await mkdtemp(join(tmpdir(), "touchledger-runner-"));
});
testFile.after((given) => rm(given.directory, { recursive: true }));

const limits = { testMs: 500, fileMs: 20_000, graceMs: 500, exitMs: 3_000 };
const head = `import { suite } from "uvu";\nconst it = suite("it");\n`;

async function outcomeOf(directory: string, text: string): Promise<Omit<Outcome, "output">> {
  const file = join(directory, "subject.test.mjs");
  await writeFile(file, text);
  const worker = createTestWorker(process.env, new AbortController().signal);
  const { passed, skipped, failures } = await worker.run(file, limits);
  await worker.end();
  return { passed, skipped, failures };
}

testFile("counts what passed, failed and was skipped", async ({ directory }) => {
  const outcome = await outcomeOf(
    directory,
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

testFile("runs suites that are declared after a top-level await", async ({ directory }) => {
  const outcome = await outcomeOf(
    directory,
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

testFile("tells what did not hold, and for what counterexample", async ({ directory }) => {
  const { failures } = await outcomeOf(
    directory,
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

testFile("fails when it has no test", async ({ directory }) => {
  assert.equal(await outcomeOf(directory, head), { passed: 0, skipped: [], failures: ["no test ran"] });
});

testFile("fails when a suite is never run", async ({ directory }) => {
  assert.equal(await outcomeOf(directory, `${head} it("adds", () => {});`), {
    passed: 0,
    skipped: [],
    failures: ['run() was never called: "it" with "adds"'],
  });
});

testFile("fails when a test is marked only", async ({ directory }) => {
  const outcome = await outcomeOf(directory, `${head} it("adds", () => {}); it.only("waits", () => {}); it.run();`);
  assert.equal(outcome, { passed: 1, skipped: [], failures: ['"it waits" is marked "only"'] });
});

testFile("fails when a hook fails, which uvu swallows", async ({ directory }) => {
  const { failures, ...counts } = await outcomeOf(
    directory,
    `${head} it.before(() => { throw new Error("no store"); }); it("adds", () => {}); it.run();`,
  );
  assert.equal(counts, { passed: 0, skipped: [] });
  assert.match(failures[0] ?? "", /^before of "it" failed: Error: no store/);
  assert.equal(failures.slice(1), ['never ran: "it" with "adds"']);
});

testFile("fails when it exits early, although without a failure", async ({ directory }) => {
  const outcome = await outcomeOf(directory, `${head} it("exits", () => process.exit(0)); it.run();`);
  assert.equal(outcome, { passed: 0, skipped: [], failures: ["the process ended (exit 1) before its tests did"] });
});

testFile("fails the test that takes too long, by its name, and goes on", async ({ directory }) => {
  const outcome = await outcomeOf(
    directory,
    `${head}
    it("hangs", () => new Promise((resolve) => setTimeout(resolve, 60_000).unref()));
    it("adds", () => {});
    it.run();`,
  );
  assert.equal(outcome, { passed: 1, skipped: [], failures: ["it hangs: Error: took longer than 0.5 s"] });
});

testFile("is killed when a test blocks it", async ({ directory }) => {
  const outcome = await outcomeOf(directory, `${head} it("spins", () => { for (;;); }); it.run();`);
  assert.equal(outcome.passed, 0);
  assert.match(outcome.failures[0] ?? "", /spins/);
});

testFile("is killed when it leaves something open", async ({ directory }) => {
  const outcome = await outcomeOf(directory, `${head} it("opens", () => { setInterval(() => {}, 1000); }); it.run();`);
  assert.equal(outcome, {
    passed: 1,
    skipped: [],
    failures: ["something was still open 3 s after the last test"],
  });
});

testFile.run();

const worker = suite<{ directory: string }>("a worker");
worker.before(async (given) => {
  given.directory = await mkdtemp(join(tmpdir(), "touchledger-runner-"));
});
worker.after((given) => rm(given.directory, { recursive: true }));

/** What comes of files whose one test is this code, one after the other; each prints the id of its process. */
async function outcomesOf(directory: string, ...tests: readonly string[]) {
  const runner = createTestWorker(process.env, new AbortController().signal);
  const outcomes: { readonly failures: readonly string[]; readonly pid: string; readonly output: string }[] = [];
  for (const [number, code] of tests.entries()) {
    const file = join(directory, `file-${tests.length}-${number}.test.mjs`);
    await writeFile(file, `${head} console.log("pid", process.pid); it("works", () => { ${code} }); it.run();`);
    const { failures, output } = await runner.run(file, limits);
    outcomes.push({ failures, output, pid: /^pid (\d+)$/m.exec(output)?.[1] ?? "" });
  }
  await runner.end();
  return outcomes;
}

worker("runs one file after another in one process, and keeps apart what they print", async ({ directory }) => {
  const [one, other] = await outcomesOf(directory, `console.log("first");`, `console.log("second");`);
  assert.is(one?.pid, other?.pid);
  assert.match(one?.output ?? "", /first/);
  assert.match(other?.output ?? "", /second/);
  assert.not.match(other?.output ?? "", /first/);
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
};
for (const [name, code] of Object.entries(spoiling)) {
  worker(`takes a fresh process after a file that ${name}`, async ({ directory }) => {
    const [one, other] = await outcomesOf(directory, code, "");
    assert.is.not(other?.pid, one?.pid);
    assert.equal(other?.failures, []);
  });
}

worker.run();
