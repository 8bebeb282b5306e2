import { followUpload, sendUpload } from "../client/index.ts";
import { addDays } from "../domain/values/local-time.ts";
import { heavyFiles } from "../test/commands/uploads/hostile-examples.ts";
import { registerApp, runApplication, temporaryDirectory } from "../test/support/application-process.ts";
import type { TestClient } from "../test/support/typed-client.ts";
import { type BenchLine, below, memoryBelow } from "./support/bench-line.ts";
import { watchMemory } from "./support/memory.ts";

const rows = 10_000;
const runs = 5;
const maxSeconds = 3;
const concurrentUploads = 50;
const maxMemory = 500;
const uploadTimeoutMs = 180_000;
const maxResponseMs = 1_000;

/**
 * Time from the POST of a full file to `succeeded`: one at a time, then many at once; then hostile files one by one.
 */
export async function benchUploads(): Promise<readonly BenchLine[]> {
  const directory = await temporaryDirectory();
  const application = await runApplication(directory.path);
  try {
    const { api } = await registerApp(application.operator);
    const owner = application.client(api);
    const alone: number[] = [];
    for (let run = 0; run < runs; run += 1) alone.push(await secondsOf(owner, spendFile(run)));
    const seconds = [...alone].sort((one, other) => one - other)[Math.floor(runs / 2)] ?? 0;

    const memory = watchMemory(application.run.pid);
    const since = performance.now();
    await Promise.all(Array.from({ length: concurrentUploads }, (_, upload) => secondsOf(owner, spendFile(upload))));
    const together = (performance.now() - since) / 1000;
    const held = memory.stop();
    const slowest = await slowestResponse(owner);
    return [
      below(maxSeconds, {
        path: `ad spend, ${rows} rows from POST to succeeded, median of ${runs}`,
        measured: round(seconds),
        unit: "s",
      }),
      memoryBelow(
        maxMemory,
        `${concurrentUploads} concurrent uploads of ${rows} rows, the same keys, memory of Node`,
        held,
        `all succeeded after ${round(together)} s`,
      ),
      below(maxResponseMs, {
        path: `the slowest response to ${heavyFiles.length} hostile files`,
        measured: Math.round(slowest),
        unit: "ms",
      }),
    ];
  } finally {
    await application.stop();
    await directory.remove();
  }
}

function round(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}

async function secondsOf(owner: TestClient, content: string): Promise<number> {
  const since = performance.now();
  const sent = await sendUpload(owner, "ad_spend", { name: "spend.csv", content });
  const { status, reason } = await followUpload(owner, "ad_spend", sent, { timeoutMs: uploadTimeoutMs });
  if (status !== "succeeded") throw new Error(`The upload has ${status}: ${reason}`);
  return (performance.now() - since) / 1000;
}

/**
 * Milliseconds of the slowest response to a POST of a hostile file; each is sent after the previous upload has failed.
 */
async function slowestResponse(owner: TestClient): Promise<number> {
  let slowest = 0;
  for (const file of heavyFiles) {
    const kind = file.kind === "metric" ? "metric" : "ad_spend";
    const content = new Uint8Array(file.bytes());
    const since = performance.now();
    const sent = await sendUpload(owner, kind, { name: "hostile.csv", content });
    slowest = Math.max(slowest, performance.now() - since);
    const { status } = await followUpload(owner, kind, sent, { timeoutMs: uploadTimeoutMs });
    if (status !== "failed") throw new Error(`${file.name} has ${status}`);
  }
  return slowest;
}

/** A file with the maximum number of rows, 100 campaigns a day; all files have the same keys. */
function spendFile(seed: number): string {
  const lines = Array.from({ length: rows }, (_, row) => {
    const date = addDays("2026-01-01", Math.floor(row / 400));
    return `${date},facebook.business,USD,campaign ${row % 100},${(row + seed) * 7},${row % 50},${row % 100}.${seed % 10}5`;
  });
  return ["date,channel,currency,campaign,impressions,clicks,cost", ...lines, ""].join("\n");
}
