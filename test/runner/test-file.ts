import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Message, testLimitVariable } from "./messages.ts";

/** What came of one counted entry of the run: a test file or a check. */
export interface Outcome {
  readonly passed: number;
  readonly skipped: readonly string[];
  /** A line for each failure; empty: all is well. */
  readonly failures: readonly string[];
  /** What it printed. */
  readonly output: string;
}

export interface Limits {
  /** One test. */
  readonly testMs: number;
  readonly fileMs: number;
  /** How much longer than its limit a test may block its own process before the process is killed. */
  readonly graceMs: number;
  /** How long a process may go on after its last test. */
  readonly exitMs: number;
}

const usualLimits: Limits = { testMs: 30_000, fileMs: 180_000, graceMs: 5_000, exitMs: 10_000 };

/** A file that needs longer says so in a comment of its own: `// time limit: 300 s`. */
async function limitsOf(file: string): Promise<Limits> {
  const [, seconds] = /^\/\/ time limit: (\d+) s$/m.exec(await readFile(file, "utf8")) ?? [];
  if (seconds === undefined) return usualLimits;
  return { ...usualLimits, testMs: Number(seconds) * 1000, fileMs: Number(seconds) * 1000 };
}

const child = fileURLToPath(new URL("./child.ts", import.meta.url));

/**
 * Runs one test file in a process group of its own, which does not outlive it. `signal` kills it. Fails what hangs,
 * naming it, and a file in which no test ran.
 */
export async function runTestFile(
  file: string,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
  limits?: Limits,
): Promise<Outcome> {
  const { testMs, fileMs, graceMs, exitMs } = limits ?? (await limitsOf(file));
  let passed = 0;
  let hasEnded = false;
  let running: string | null = null;
  const skipped: string[] = [];
  const failures: string[] = [];
  const output: string[] = [];

  const tests = spawn(process.execPath, ["--import", "tsx", child, file], {
    env: { ...environment, [testLimitVariable]: String(testMs) },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true,
  });
  const kill = (): void => {
    try {
      if (tests.pid !== undefined) process.kill(-tests.pid, "SIGKILL");
    } catch {
      // The whole group has ended already.
    }
  };
  const killBecause = (failure: string): void => {
    failures.push(failure);
    kill();
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
  signal.addEventListener("abort", kill, { once: true });
  tests.stdout?.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  tests.stderr?.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  tests.on("message", (message: Message) => {
    if (message.kind === "test started") {
      running = message.test;
      nextWithin(testMs + graceMs, `"${message.test}" blocked its process for longer than ${testMs / 1000} s`);
    } else if (message.kind === "test ended") {
      running = null;
      clearTimeout(oneThing);
      if (message.outcome === "passed") passed++;
      else if (message.outcome === "skipped") skipped.push(message.test);
      else if (message.outcome === "failed") failures.push(`${message.test}: ${message.reason}`);
    } else if (message.kind === "fault") failures.push(message.text);
    else {
      hasEnded = true;
      nextWithin(
        exitMs,
        `the process was still running ${exitMs / 1000} s after its last test: something is left open`,
      );
    }
  });
  tests.on("error", (failure) => failures.push(failure.message));
  await new Promise((resolve) => tests.on("close", resolve));
  clearTimeout(wholeFile);
  clearTimeout(oneThing);
  signal.removeEventListener("abort", kill);
  kill();
  if (!hasEnded && failures.length === 0) {
    failures.push(`the process ended (${tests.signalCode ?? `exit ${tests.exitCode}`}) before its tests did`);
  }
  if (tests.exitCode !== 0 && failures.length === 0) failures.push(`the process ended with exit ${tests.exitCode}`);
  if (passed + skipped.length + failures.length === 0) failures.push("no test ran");
  return { passed, skipped, failures, output: output.join("") };
}
