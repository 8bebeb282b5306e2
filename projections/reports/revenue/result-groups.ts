import type { HeldLines } from "../../../domain/reporting/limits.ts";
import type { Bucket } from "../../../domain/reporting/revenue/row.ts";
import { exactDecimal, zero } from "../../../domain/values/decimals.ts";
import type { FoundBucket } from "./statement.ts";

/** A group of a result, its blocks in order. */
export interface FoundGroup {
  readonly groupBys: readonly (string | null)[];
  readonly buckets: readonly Bucket[];
  /** Why some of it was masked, as bits. */
  readonly because: number;
  /** Whether amounts were left out because an exchange rate is missing. */
  readonly lostAmounts: boolean;
}

export interface FoundGroups {
  /** The first groups by the sort, each complete. */
  readonly groups: readonly FoundGroup[];
  readonly isExceeded: boolean;
}

/**
 * The groups of a statement that fit into a result (contract/reports.md#rows); null when the first alone has too many
 * blocks.
 */
export function foundGroups(found: readonly FoundBucket[], max: HeldLines): FoundGroups | null {
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
  return { groups: places.slice(0, held).map(groupOf), isExceeded: held < places.length };
}

/** Buckets of one group. */
export function groupOf(found: readonly FoundBucket[]): FoundGroup {
  const buckets = found.map(bucketOf);
  return {
    groupBys: found[0]?.groupBys ?? [],
    buckets,
    because: found.reduce((bits, { because }) => bits | because, 0),
    lostAmounts: found.some(({ lostSpend, unrated }) => lostSpend + unrated > 0),
  };
}

function bucketOf({ block, day, users, lostStarts, cost, spendRows, lostSpend, cells }: FoundBucket): Bucket {
  return { block, day, users, lostStarts, cost: exactDecimal(cost), spendRows, lostSpend, cells: cellsIn(cells) };
}

/** Of {@link FoundBucket}. */
function cellsIn(cells: string): Bucket["cells"] {
  if (cells === "") return [];
  return cells.split(",").map((cell) => {
    const [interval, counted, revenue = "-", amounts, lost, lostAmounts] = cell.split(" ");
    return {
      interval: Number(interval),
      counted: Number(counted),
      revenue: revenue === "-" ? zero : exactDecimal(revenue),
      amounts: Number(amounts),
      lost: Number(lost),
      lostAmounts: Number(lostAmounts),
    };
  });
}
