import type { ResultLimits } from "../../../domain/reporting/limits.ts";
import type { Bucket } from "../../../domain/reporting/revenue/row.ts";
import { exactDecimal, zero } from "../../../domain/values/decimals.ts";
import type { FoundBucket } from "./statement.ts";

export interface FoundGroups {
  /** The buckets of the first groups by the sort, each complete. */
  readonly groups: readonly (readonly FoundBucket[])[];
  readonly isExceeded: boolean;
}

/**
 * The groups of a statement that fit into a result (contract/reports.md#rows); null when the first alone has too many
 * blocks.
 */
export function foundGroups(found: readonly FoundBucket[], max: ResultLimits): FoundGroups | null {
  const places: FoundBucket[][] = [];
  let held = Number.POSITIVE_INFINITY;
  let subRows = 0;
  for (const bucket of found) {
    const place = places[bucket.place - 1] ?? [];
    place.push(bucket);
    places[bucket.place - 1] = place;
    if (bucket.block !== null && bucket.users + bucket.spendRows > 0) subRows += 1;
    const isHeld = bucket.place <= max.groups && subRows <= max.subRows && bucket.place + subRows <= max.lines;
    if (!isHeld) held = Math.min(held, bucket.place - 1);
  }
  if (held === 0) return null;
  return { groups: places.slice(0, held), isExceeded: held < places.length };
}

/** Whether any unmasked amount has no exchange rate (contract/money.md#conversion). */
export function isUnconverted({ unconvertedSpend, unconvertedAmounts }: FoundBucket): boolean {
  return unconvertedSpend + unconvertedAmounts > 0;
}

export function bucketOf(found: FoundBucket): Bucket {
  const { block, day, users, maskedStarts, spendRows, unconvertedSpend } = found;
  const cost = exactDecimal(found.cost);
  return { block, day, users, maskedStarts, cost, spendRows, unconvertedSpend, cells: cellsIn(found.cells) };
}

/** Of {@link FoundBucket}. */
function cellsIn(cells: string): Bucket["cells"] {
  if (cells === "") return [];
  return cells.split(",").map((cell) => {
    const [interval, counted, revenue = "-", amounts, maskedReturns, excludedAmounts] = cell.split(" ");
    return {
      interval: Number(interval),
      counted: Number(counted),
      revenue: revenue === "-" ? zero : exactDecimal(revenue),
      amounts: Number(amounts),
      maskedReturns: Number(maskedReturns),
      excludedAmounts: Number(excludedAmounts),
    };
  });
}
