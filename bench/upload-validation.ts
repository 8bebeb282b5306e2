import { gzipSync } from "node:zlib";
import { parse } from "csv-parse";
import { validateFile } from "../commands/uploads/validate-upload.ts";
import { builtInChannels } from "../domain/channels/built-in.ts";
import type { UploadKind } from "../domain/uploads/events.ts";
import type { BenchLine } from "./support/bench-line.ts";

const minRowsPerSecond = 200_000;
const minRatio = 0.6;
const rounds = 7;
const pieceBytes = 64 * 1024;
const today = "2026-04-03";

interface BenchFile {
  readonly name: string;
  readonly kind: UploadKind;
  /** The file as it is uploaded. */
  readonly bytes: Buffer;
  readonly inflated: Buffer;
  readonly rows: number;
  /** How often one measurement validates it, so that small files are measured as long as large ones. */
  readonly repetitions: number;
}

/**
 * Validation of full files in rows per second, next to csv-parse alone on the inflated bytes. Both alternate; the best
 * of seven rounds counts for each, because other work on the machine only slows them down.
 */
export async function benchUploadValidation(): Promise<readonly BenchLine[]> {
  const lines: BenchLine[] = [];
  for (const file of [spendFile(10_000), metricFile(200_000)]) {
    let measured = 0;
    let limit = 0;
    for (let round = 0; round < rounds; round += 1) {
      measured = Math.max(measured, await rowsPerSecond(file, () => validated(file)));
      limit = Math.max(limit, await rowsPerSecond(file, () => parsed(file)));
    }
    const ratio = measured / limit;
    lines.push({
      path: `validation, ${file.name}`,
      measured: Math.round(measured),
      unit: "rows/s",
      limit: Math.round(limit),
      ratio,
      target: `>= ${minRowsPerSecond.toLocaleString("en")} rows/s and ${minRatio} of csv-parse`,
      met: measured >= minRowsPerSecond && ratio >= minRatio,
    });
  }
  return lines;
}

async function rowsPerSecond({ rows, repetitions }: BenchFile, read: () => Promise<number>): Promise<number> {
  const since = performance.now();
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const count = await read();
    if (count !== rows) throw new Error(`${count} rows were read instead of ${rows}`);
  }
  return (rows * repetitions * 1000) / (performance.now() - since);
}

async function validated({ kind, bytes }: BenchFile): Promise<number> {
  const validation = await validateFile({ kind, bytes, fileName: null, today, channels: builtInChannels });
  if (validation.outcome === "invalid") throw new Error(JSON.stringify(validation.faults));
  return validation.rows.length;
}

async function parsed({ inflated }: BenchFile): Promise<number> {
  const parser = parse({});
  let rows = -1;
  parser.on("data", () => {
    rows += 1;
  });
  const ended = new Promise((resolve, reject) => parser.on("end", resolve).on("error", reject));
  for (let start = 0; start < inflated.length; start += pieceBytes) {
    await new Promise((resolve) => parser.write(inflated.subarray(start, start + pieceBytes), resolve));
  }
  parser.end();
  await ended;
  return rows;
}

function spendFile(rows: number): BenchFile {
  const lines = ["date,channel,currency,campaign,impressions,clicks,cost,ad_group,country,os_name"];
  for (let row = 0; row < rows; row += 1) {
    const numbers = `${row * 7},${row},${row % 900}.${10 + (row % 90)}`;
    lines.push(`${day(row)},google.adwords,USD,campaign ${row % 500},${numbers},group ${row % 50},US,iOS`);
  }
  const name = `ad spend, ${rows.toLocaleString("en")} rows`;
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  return { name, kind: "ad_spend", bytes, inflated: bytes, rows, repetitions: 20 };
}

function metricFile(rows: number): BenchFile {
  const lines = ["date,channel,event_category,event_value,campaign,country,currency"];
  for (let row = 0; row < rows; row += 1) {
    lines.push(`${day(row)},google.adwords,store visits,${row % 200}.25,campaign ${row % 50},US,USD`);
  }
  const inflated = Buffer.from(`${lines.join("\n")}\n`);
  const name = `metrics, ${rows.toLocaleString("en")} rows of gzip`;
  return { name, kind: "metric", bytes: gzipSync(inflated, { level: 9 }), inflated, rows, repetitions: 1 };
}

function day(row: number): string {
  return `2026-03-${String(1 + (row % 28)).padStart(2, "0")}`;
}
