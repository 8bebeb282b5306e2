import { cohortLimits } from "../../domain/reporting/cohort-limits.ts";
import { exactDecimal, zero } from "../../domain/reporting/exact-decimal.ts";
import type { Bucket } from "../../domain/reporting/revenue-row.ts";
import type { FoundBucket } from "./revenue-statement.ts";

/** A group of a result, its blocks in order. */
export interface FoundGroup {
  readonly groupBys: readonly (string | null)[];
  readonly buckets: readonly Bucket[];
  /** Why something was withheld of it, as bits. */
  readonly because: number;
  /** Whether amounts were left out of it for want of an exchange rate. */
  readonly lostAmounts: boolean;
}

export interface FoundGroups {
  /** The first by the sort, each whole. */
  readonly groups: readonly FoundGroup[];
  readonly isExceeded: boolean;
}

/** The groups that a result holds (D7.6) of what a statement found; null when the first alone has too many blocks. */
export function foundGroups(found: readonly FoundBucket[]): FoundGroups | null {
  const places: FoundBucket[][] = [];
  let held = Number.POSITIVE_INFINITY;
  let subRows = 0;
  for (const bucket of found) {
    const place = places[bucket.place - 1] ?? [];
    place.push(bucket);
    places[bucket.place - 1] = place;
    if (bucket.block !== null) subRows += 1;
    if (subRows > cohortLimits.subRows || bucket.place > cohortLimits.groups) held = Math.min(held, bucket.place - 1);
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
  const [intervals, counted, revenue, amounts, lost, lostAmounts] = cells ?? [[], [], [], [], [], []];
  return {
    block,
    day,
    users,
    lostStarts,
    cost: exactDecimal(cost),
    spendRows,
    lostSpend,
    cells: intervals.map((interval, index) => {
      const amount = revenue[index] ?? null;
      return {
        interval,
        counted: counted[index] ?? 0,
        revenue: amount === null ? zero : exactDecimal(amount),
        amounts: amounts[index] ?? 0,
        lost: lost[index] ?? 0,
        lostAmounts: lostAmounts[index] ?? 0,
      };
    }),
  };
}
