import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Outcome } from "./test-file.ts";

const require = createRequire(import.meta.url);

/** The type check of a project, such as `.` or `web`, as one counted test. */
export function typeCheck(project: string, signal: AbortSignal): Promise<Outcome> {
  const program = join(dirname(require.resolve("typescript-7/package.json")), "bin", "tsc");
  return check(program, ["--noEmit", "-p", project], signal);
}

/** Format, lint and order of imports, as one counted test. */
export function lint(signal: AbortSignal): Promise<Outcome> {
  const program = join(dirname(require.resolve("@biomejs/biome/package.json")), "bin", "biome");
  return check(program, ["check", "--error-on-warnings"], signal);
}

function check(program: string, parameters: readonly string[], signal: AbortSignal): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...parameters], { stdio: ["ignore", "pipe", "pipe"], signal });
    const output: string[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk.toString()));
    child.on("error", reject);
    child.on("close", (code) => {
      const failures = code === 0 ? [] : [`ended with exit ${code}`];
      resolve({ passed: 1 - failures.length, skipped: [], failures, output: output.join("") });
    });
  });
}
