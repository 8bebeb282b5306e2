import { addDays, zonedTimestamp } from "../../values/local-time.ts";
import { beginningOf, blockStart, intervalsBegun, type Moment } from "../granularity.ts";
import {
  addCohorts,
  addReturns,
  allReturned,
  type Cohort,
  type CohortSize,
  combinedIntervals,
  emptyCohort,
  type Interval,
  noReturns,
  type Returned,
} from "./cohort-sums.ts";
import { costOf, revenueOf, type ShownValue, shownOf, usersOf } from "./metrics.ts";
import type { RevenueQuery } from "./query.ts";

/** The values of a cohort (contract/reports.md#revenue). */
export interface RevenueTotals {
  readonly totalCost: ShownValue;
  /**
   * From 0 to the last interval reached, whatever the metric and how it is aggregated (contract/reports.md#revenue).
   */
  readonly totalRevenue: ShownValue;
  readonly totalUniqueUsers: ShownValue;
  /** By interval, as many as the whole report has: number literals of JSON; null where there is no value. */
  readonly values: readonly (string | null)[];
  /** The intervals whose value is incomplete. */
  readonly masked: readonly number[];
}

/** A group, or everything. */
export interface RevenueRow {
  /** By the block of time that devices started in: a date, or for hours and minutes an ISO timestamp with offset. */
  readonly rows: readonly (RevenueTotals & { readonly date: string })[];
  readonly total: RevenueTotals;
}

/** The counts of a group in a block of time. */
export interface Bucket extends CohortSize {
  /** Number of the block in the range; null: the spend of a date, if blocks are shorter than a date. */
  readonly block: number | null;
  /** If `block` is null: number of the date in the range, from 0. */
  readonly day: number | null;
  readonly cells: readonly (Returned & { readonly interval: number })[];
}

/** The report's 'now', in its app's time zone. */
export interface ReportTime {
  readonly timezone: string;
  readonly now: Moment;
}

/** A group of a revenue report from its counts in each block, in order (contract/reports.md#revenue). */
export function revenueRow(buckets: readonly Bucket[], query: RevenueQuery, at: ReportTime): RevenueRow {
  const count = intervalCount(query, at);
  const isDated = query.granularity === "day" || query.granularity === "week" || query.granularity === "month";
  const rows = buckets.flatMap((bucket) => {
    // A block whose cells are all withheld has no row (contract/reports.md#masking).
    if (bucket.block === null || bucket.users + bucket.spendRows === 0) return [];
    const { date, instant } = startOf(bucket, query, at);
    const totals = totalsOf([cohortOf(bucket, query, at)], count, query);
    return [{ date: isDated ? date : zonedTimestamp(at.timezone, instant), ...totals }];
  });
  return { rows, total: revenueTotal(buckets, query, at) };
}

/** The values of several blocks together. */
export function revenueTotal(buckets: readonly Bucket[], query: RevenueQuery, at: ReportTime): RevenueTotals {
  const cohorts = buckets.map((bucket) => cohortOf(bucket, query, at));
  return totalsOf(cohorts, intervalCount(query, at), query);
}

/**
 * How many intervals the whole report has: those that have begun for its first date (contract/reports.md#intervals).
 */
export function intervalCount({ granularity, from }: RevenueQuery, { timezone, now }: ReportTime): number {
  return intervalsBegun(granularity, beginningOf(from, timezone), now);
}

function startOf({ block, day }: Bucket, { granularity, from }: RevenueQuery, { timezone }: ReportTime): Moment {
  if (block === null) return beginningOf(addDays(from, day ?? 0), timezone);
  return blockStart(granularity, from, block, timezone);
}

function cohortOf(bucket: Bucket, query: RevenueQuery, at: ReportTime): Cohort {
  const begun = intervalsBegun(query.granularity, startOf(bucket, query, at), at.now);
  return { ...bucket, begun, isSpendOfDate: bucket.block === null };
}

function totalsOf(cohorts: readonly Cohort[], count: number, { metric, aggregationType }: RevenueQuery): RevenueTotals {
  const size = cohorts.reduce<CohortSize>(addCohorts, emptyCohort);
  const returned = cohorts.map(allReturned).reduce<Returned>(addReturns, noReturns);
  const shown = shownOfEach(metric, combinedIntervals(cohorts, count, aggregationType));
  return {
    totalCost: costOf(size),
    totalRevenue: revenueOf(returned, size),
    totalUniqueUsers: usersOf(size),
    values: shown.map(({ value }) => value),
    masked: shown.flatMap(({ isMasked }, interval) => (isMasked ? [interval] : [])),
  };
}

/** An unchanged interval shares the cell of the previous one: a report can have 5 million cells. */
function shownOfEach(metric: RevenueQuery["metric"], intervals: readonly (Interval | null)[]): readonly ShownValue[] {
  let before: Interval | null | undefined;
  let shown: ShownValue = { value: null, isMasked: false };
  return intervals.map((interval) => {
    const isSame = before?.returned === interval?.returned && before?.of === interval?.of;
    if (before === undefined || !isSame) shown = shownOf(metric, interval);
    before = interval;
    return shown;
  });
}
