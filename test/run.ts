import { readdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { recordedOperations } from "./runner/recorded-operations.ts";
import { lint, typeCheck } from "./runner/static-checks.ts";
import { startTemporaryPostgres } from "./runner/temporary-postgres.ts";
import { createTestWorker, limitsOf, type Outcome, type TestWorker } from "./runner/test-file.ts";
import { root } from "./support/paths.ts";
import { postgresVariable } from "./support/stores.ts";

/**
 * `npm test [-- <part of a path> ...] [--concurrency 2]`: type check, lint and every `*.test.ts`, or the files alone
 * whose path holds one of the parts. The last line is `N passed, N failed`.
 */
interface Entry {
  readonly name: string;
  run(worker: TestWorker, signal: AbortSignal): Promise<Outcome>;
}

/** One file more than cores, as some wait for processes of their own. The Postgres of the run has connections for four. */
const usualConcurrency = Math.min(availableParallelism() + 1, 4);
const { values, positionals: filters } = parseArgs({
  options: { concurrency: { type: "string", default: process.env.TEST_CONCURRENCY ?? String(usualConcurrency) } },
  allowPositionals: true,
});
const concurrency = Math.max(1, Number.parseInt(values.concurrency, 10) || 1);

const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());

const files = (await readdir(join(root, "test"), { recursive: true }))
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => join(root, "test", name))
  .filter((file) => filters.length === 0 || filters.some((filter) => relative(root, file).includes(filter)))
  .sort(bySlowness);

const postgres = files.every(isPure) ? null : await startTemporaryPostgres();
const operations = await recordedOperations();
const environment = {
  ...process.env,
  ...operations.environment,
  ...(postgres && { [postgresVariable]: postgres.connectionString }),
};
const checks: readonly Entry[] = [
  { name: "type check", run: (_, signal) => typeCheck(".", signal) },
  { name: "type check of web", run: (_, signal) => typeCheck("web", signal) },
  { name: "lint", run: (_, signal) => lint(signal) },
];
const entries: readonly Entry[] = [
  ...(filters.length === 0 ? checks : []),
  ...files.map((file) => ({
    name: relative(root, file),
    run: async (worker: TestWorker) => worker.run(compiled(file), await limitsOf(file)),
  })),
];

let passed = 0;
const failed: string[] = [];
const skipped: string[] = [];

async function runEntry(entry: Entry, worker: TestWorker): Promise<void> {
  const since = performance.now();
  const outcome = await entry
    .run(worker, stopping.signal)
    .catch((failure: unknown): Outcome => ({ passed: 0, skipped: [], failures: [String(failure)], output: "" }));
  if (stopping.signal.aborted) return;
  const seconds = ((performance.now() - since) / 1000).toFixed(1);
  passed += outcome.passed;
  skipped.push(...outcome.skipped.map((test) => `${entry.name}: ${test}`));
  failed.push(...outcome.failures.map((failure) => `${entry.name}: ${failure}`));
  console.log(`${outcome.failures.length === 0 ? "ok  " : "FAIL"} ${entry.name} (${outcome.passed} in ${seconds} s)`);
  if (outcome.failures.length > 0) console.log(`\n${indented(outcome.output.trim())}\n`);
}

/** What `infra/build.js` makes of a source file. */
function compiled(file: string): string {
  return join(root, "dist", relative(root, file)).replace(/ts$/, "js");
}

/** Tests of the domain need no Postgres. */
function isPure(file: string): boolean {
  return relative(root, file).startsWith("test/domain/");
}

/** Long files first: the last ones then end at about the same time. */
function bySlowness(one: string, other: string): number {
  return slowness(one) - slowness(other) || (one < other ? -1 : 1);
}

function slowness(file: string): number {
  const folders = [
    "test/torture/",
    "test/scenarios/",
    "test/runner/static-c",
    "test/infra/",
    "test/projections/",
    "test/",
  ];
  return isPure(file) ? folders.length : folders.findIndex((folder) => relative(root, file).startsWith(folder));
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "    ");
}

const waiting = [...entries];
async function work(): Promise<void> {
  const worker = createTestWorker(environment, stopping.signal);
  for (let entry = waiting.shift(); entry !== undefined && !stopping.signal.aborted; entry = waiting.shift()) {
    await runEntry(entry, worker);
  }
  await worker.end();
}

try {
  await Promise.all(Array.from({ length: concurrency }, work));
} finally {
  await postgres?.remove();
}

if (filters.length === 0 && !stopping.signal.aborted) {
  const unseen = await operations.unseen();
  if (unseen.length === 0) passed += 1;
  failed.push(...unseen.map((name) => `no test sees ${name} succeed`));
}
await operations.remove();

if (files.length === 0) failed.push(`no test file has "${filters.join('" or "')}" in its path`);
if (stopping.signal.aborted) failed.push("the run was interrupted");
if (skipped.length > 0) console.log(`\nskipped:\n${indented(skipped.join("\n"))}`);
if (failed.length > 0) console.log(`\nfailed:\n${indented(failed.join("\n"))}`);
console.log(`\n${skipped.length === 0 ? "" : `${skipped.length} skipped\n`}${passed} passed, ${failed.length} failed`);
process.exit(failed.length === 0 && passed > 0 ? 0 : 1);
