import { addDays, type LocalDate } from "../values/local-time.ts";
import type { UploadKind } from "./events.ts";

/** Bytes of a file as sent, at most: 1 MB (contract/uploads.md#limits). */
export const largestFile = 1_048_576;

/**
 * Bytes of a file once inflated, at most (contract/uploads.md#limits), the same for every kind: 10,000 rows with every
 * column filled fit in, and what a small file can make of our memory and time is as bounded.
 */
export const largestInflated = 32 * 1024 * 1024;

/** Rows of a file below its header, at most (contract/uploads.md#limits). */
export const mostRows: Readonly<Record<UploadKind, number>> = {
  ad_spend: 10_000,
  legacy_cost: 10_000,
  metric: 200_000,
};

/**
 * Code points of a name or value, at most (contract/uploads.md#values). Numbers keep to it too: it is what bounds them.
 */
export const longestValue = 256;

/** Local dates, both included. */
export interface DateRange {
  readonly from: LocalDate;
  readonly to: LocalDate;
}

/**
 * Dates that rows may have (contract/uploads.md#values); legacy cost: not older than 92 days before the upload
 * (contract/uploads.md#legacy-cost).
 */
export function datesAllowed(kind: UploadKind, today: LocalDate): DateRange {
  return { from: kind === "legacy_cost" ? addDays(today, -92) : "2000-01-01", to: today };
}
