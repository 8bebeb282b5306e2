import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Knex } from "knex";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { instantRanges, offsetsBetween } from "../domain/raw-exports/local-range.ts";
import { rawStatement } from "../projections/raw-exports/statement.ts";
import type { CsvFile } from "../read-api/raw-exports/csv-file.ts";
import { type BenchLine, below } from "./support/bench-line.ts";
import { watchMemory } from "./support/memory.ts";
import { exported } from "./support/raw-export.ts";
import { openReportDatabase, requestedSize } from "./support/report-database.ts";

const rowsPerSecond = 80_000;
const maxMegabytes = 300;

/**
 * Downloads of one export of 2 million rows as CSV and as Parquet, next to a bare `COPY` of the same rows whose output
 * is discarded.
 */
export async function benchRawExports(): Promise<readonly BenchLine[]> {
  const { db, schema, connectionString, close } = await openReportDatabase(requestedSize());
  const child = spawn(process.execPath, [server], {
    env: { ...process.env, BENCH_DATABASE: connectionString, BENCH_FACTS: schema },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [announced] = (await once(createInterface(child.stdout), "line")) as [string];
    const { url, describedMs, rows, bytes, sha256 } = JSON.parse(announced) as Served;
    const memory = watchMemory(child.pid ?? 0);
    const bare = await timed(() => bareCopy(db, schema, connectionString));
    const csv = await timed(() => downloaded(url));
    const parquet = await timed(() => downloaded(`${url}&format=parquet`));
    const { anonymous } = memory.stop();
    if (csv.result.sha256 !== sha256 || csv.result.bytes !== bytes)
      throw new Error("The download differs from the described file");
    const perSecond = (ms: number): number => Math.round((1_000 * rows) / ms);
    const lineOf = (path: string, ms: number, target: number | null): BenchLine => ({
      path: `${path}, ${rows.toLocaleString("en")} rows of ${exported.query.properties.length} properties`,
      measured: perSecond(ms),
      unit: "rows/s",
      limit: perSecond(bare.ms),
      ratio: bare.ms / ms,
      target: target === null ? "none" : `>= ${target.toLocaleString("en")}`,
      met: target === null || perSecond(ms) >= target,
    });
    return [
      lineOf("export read and hashed", describedMs, rowsPerSecond),
      lineOf("export downloaded as CSV", csv.ms, rowsPerSecond),
      lineOf("export downloaded as Parquet", parquet.ms, null),
      below(maxMegabytes, { path: "memory of the process that serves them", measured: anonymous, unit: "MB" }),
    ];
  } finally {
    child.kill("SIGTERM");
    await close();
  }
}

const server = fileURLToPath(new URL("./support/raw-export-server.js", import.meta.url));

interface Served extends CsvFile {
  readonly url: string;
  readonly describedMs: number;
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ readonly ms: number; readonly result: Result }> {
  const since = performance.now();
  const result = await work();
  return { ms: performance.now() - since, result };
}

async function downloaded(url: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const response = await fetch(url);
  if (!response.ok || response.body === null) throw new Error(`${url} responded with ${response.status}`);
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of response.body) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** Reads all rows of the export by one `COPY`, which writes CSV. */
async function bareCopy(db: Knex, schema: string, connectionString: string): Promise<void> {
  const first = { at: "2000-01-01T00:00:00Z", id: "00000000-0000-0000-0000-000000000000" };
  const instants = instantRanges(exported.timezone, exported.query.start, exported.query.end);
  const [{ from, before } = { from: 0, before: 0 }] = instants;
  const until = { at: new Date(before - 1).toISOString(), id: "ffffffff-ffff-ffff-ffff-ffffffffffff" };
  const clock = offsetsBetween(exported.timezone, from, before);
  const { text, values } = rawStatement(schema, exported, [], { clock, instants }, { after: first, until });
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query("set jit = off");
    const copy = client.query(copyTo(`copy (${db.raw(text, values).toQuery()}) to stdout (format csv)`));
    for await (const _piece of copy);
  } finally {
    await client.end();
  }
}
