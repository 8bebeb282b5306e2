import { readFile } from "node:fs/promises";
import type { Message } from "./messages.ts";
import { startTestProcess, type TestProcess } from "./test-process.ts";

/** What came of one counted entry of the run: a test file or a check. */
export interface Outcome {
  readonly passed: number;
  readonly skipped: readonly string[];
  /** A line for each failure; empty: all is well. */
  readonly failures: readonly string[];
  /** What it printed. */
  readonly output: string;
}

interface Limits {
  /** One test. */
  readonly testMs: number;
  readonly fileMs: number;
  /** How much longer than its limit a test may block its own process before the process is killed. */
  readonly graceMs: number;
  /** How long something of the file may be open after its last test. */
  readonly exitMs: number;
}

const usualLimits: Limits = { testMs: 30_000, fileMs: 180_000, graceMs: 5_000, exitMs: 10_000 };

/** The limits of a test file; one that needs longer says so in a comment of its source: `// time limit: 300 s`. */
export async function limitsOf(file: string): Promise<Limits> {
  const [, seconds] = /^\/\/ time limit: (\d+) s$/m.exec(await readFile(file, "utf8")) ?? [];
  if (seconds === undefined) return usualLimits;
  return { ...usualLimits, testMs: Number(seconds) * 1000, fileMs: Number(seconds) * 1000 };
}

/** Runs test files, one at a time. */
export interface TestWorker {
  run(file: string, limits?: Limits): Promise<Outcome>;
  end(): Promise<void>;
}

/**
 * Files share one process until a file fails or changes the process; the next file then gets a fresh one. `signal` kills
 * it.
 */
export function createTestWorker(environment: NodeJS.ProcessEnv, signal: AbortSignal): TestWorker {
  let tests: TestProcess | null = null;
  const end = async (): Promise<void> => {
    const last = tests;
    tests = null;
    await last?.end();
  };
  return {
    run: async (file, limits = usualLimits) => {
      tests ??= await startTestProcess(environment);
      const { reusable, ...outcome } = await runTestFile(tests, file, limits, signal);
      if (!reusable || outcome.failures.length > 0) await end();
      return outcome;
    },
    end,
  };
}

/** Runs one test file. Fails what hangs, naming it, and a file in which no test ran. */
async function runTestFile(
  tests: TestProcess,
  file: string,
  { testMs, fileMs, graceMs, exitMs }: Limits,
  signal: AbortSignal,
): Promise<Outcome & { readonly reusable: boolean }> {
  let passed = 0;
  let exitCode: number | null = null;
  let running: string | null = null;
  const skipped: string[] = [];
  const failures: string[] = [];

  const killBecause = (failure: string): void => {
    failures.push(failure);
    tests.kill();
  };
  const wholeFile = setTimeout(
    () => killBecause(`the file took longer than ${fileMs / 1000} s${running === null ? "" : `, in "${running}"`}`),
    fileMs + graceMs,
  );
  let oneThing: NodeJS.Timeout | undefined;
  const nextWithin = (ms: number, failure: string): void => {
    clearTimeout(oneThing);
    oneThing = setTimeout(() => killBecause(failure), ms);
  };
  signal.addEventListener("abort", tests.kill, { once: true });
  const hear = (message: Message): void => {
    if (message.kind === "test started") {
      running = message.test;
      nextWithin(testMs + graceMs, `"${message.test}" blocked its process for longer than ${testMs / 1000} s`);
    } else if (message.kind === "test ended") {
      running = null;
      clearTimeout(oneThing);
      if (message.outcome === "passed") passed++;
      else if (message.outcome === "skipped") skipped.push(message.test);
      else failures.push(`${message.test}: ${message.reason}`);
    } else if (message.kind === "fault") failures.push(message.text);
    else if (message.kind === "tests ended") {
      exitCode = message.exitCode;
      nextWithin(exitMs, `something was still open ${exitMs / 1000} s after the last test`);
    }
  };
  const { end, reusable, output } = await tests.run({ file, testMs }, hear);
  clearTimeout(wholeFile);
  clearTimeout(oneThing);
  signal.removeEventListener("abort", tests.kill);
  if (failures.length === 0) {
    if (exitCode === null) failures.push(`the process ended (${end}) before its tests did`);
    else if (end !== null) failures.push(`the process ended (${end}) after its tests`);
    else if (exitCode !== 0) failures.push(`its tests ended with exit code ${exitCode}`);
  }
  if (passed + skipped.length + failures.length === 0) failures.push("no test ran");
  return { passed, skipped, failures, output, reusable };
}
