import type {
  MetricRow,
  MetricRowsStaged,
  SpendRow,
  SpendRowsStaged,
  UploadIngested,
} from "../../domain/uploads/events.ts";
import { uploadId } from "./uploads.ts";

/** A row of an ad spend file: 100 impressions, 10 clicks and 1.50 dollars of the spring campaign. */
export function spendRow(more: Partial<SpendRow> = {}): SpendRow {
  return {
    row: 2,
    date: "2026-03-01",
    channel: "partner",
    channelType: "custom",
    campaignParams: { campaign: "spring" },
    publisher: {},
    currency: "USD",
    impressions: 100,
    clicks: 10,
    cost: "1.50",
    ...more,
  };
}

/** A row of a metric file: 12 visits. */
export function metricRow(more: Partial<MetricRow> = {}): MetricRow {
  return {
    row: 2,
    date: "2026-03-01",
    channel: "partner",
    channelType: "custom",
    campaignParams: {},
    publisher: {},
    eventCategory: "visits",
    eventValue: "12",
    ...more,
  };
}

interface Options {
  readonly appId?: number;
  readonly rowsOfChunk?: number;
}

/** Events that put rows of spend in force: their chunks, and what ingests them. Rows are numbered from 2. */
export function spendUpload(
  number: number,
  rows: readonly Partial<SpendRow>[],
  { appId = 1, rowsOfChunk = rows.length, kind = "ad_spend" }: Options & { kind?: "ad_spend" | "legacy_cost" } = {},
): { readonly staged: readonly SpendRowsStaged[]; readonly ingested: UploadIngested } {
  const requestId = uploadId(number);
  const numbered = rows.map((row, index) => spendRow({ row: index + 2, ...row }));
  const staged = chunksOf(numbered, rowsOfChunk).map(
    (chunk): SpendRowsStaged => ({ type: "SpendRowsStaged", data: { requestId, appId, rows: chunk } }),
  );
  return { staged, ingested: ingestedBy(requestId, appId, kind, rows.length) };
}

/** The same for rows of metrics. */
export function metricUpload(
  number: number,
  rows: readonly Partial<MetricRow>[],
  { appId = 1, rowsOfChunk = rows.length }: Options = {},
): { readonly staged: readonly MetricRowsStaged[]; readonly ingested: UploadIngested } {
  const requestId = uploadId(number);
  const numbered = rows.map((row, index) => metricRow({ row: index + 2, ...row }));
  const staged = chunksOf(numbered, rowsOfChunk).map(
    (chunk): MetricRowsStaged => ({ type: "MetricRowsStaged", data: { requestId, appId, rows: chunk } }),
  );
  return { staged, ingested: ingestedBy(requestId, appId, "metric", rows.length) };
}

function ingestedBy(
  requestId: string,
  appId: number,
  kind: UploadIngested["data"]["kind"],
  rows: number,
): UploadIngested {
  return { type: "UploadIngested", data: { requestId, appId, kind, rows, ingestedAt: "2026-04-01T00:00:02.000Z" } };
}

function chunksOf<Row>(rows: readonly Row[], size: number): readonly (readonly Row[])[] {
  const chunks: (readonly Row[])[] = [];
  for (let start = 0; start < rows.length; start += size) chunks.push(rows.slice(start, start + size));
  return chunks;
}
