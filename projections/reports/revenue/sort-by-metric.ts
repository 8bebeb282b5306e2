import {
  beginningOf,
  blockStart,
  blocksBegun,
  intervalsBegun,
  momentOf,
} from "../../../domain/reporting/granularity.ts";
import { addDays } from "../../../domain/values/local-time.ts";
import { quotient } from "../money/quotient.ts";
import type { RevenueContext } from "./revenue-context.ts";

/** SQL that sorts groups by the value of the report's metric at its last interval. */
interface LastValue {
  /** Aggregates of returns until the last interval, or in it, by name: over `cell`, by group and block. */
  readonly returned: { readonly [column: string]: string };
  /** The value, over buckets that have those columns and a window `of_group` (contract/reports.md#sorting). */
  readonly value: string;
}

/**
 * SQL of the value that `shownOf` of the domain shows for a group at the last interval: null if the interval has begun
 * for none of its blocks (without devices: of its spend), if the divisor is 0, and if the group is fully masked. Returns
 * null if the report is not sorted by its metric.
 */
export function lastValue(context: RevenueContext): LastValue | null {
  const { report, starts } = context;
  const { metric, aggregationType, sorts } = report.query;
  if (!sorts.some(({ fieldName }) => fieldName === metric)) return null;
  const { interval, blocks, days } = lastOf(context);
  const bind = (number: number): string => `${starts.bind(String(number))}::integer`;
  const counts = aggregationType === "cumulative" ? "" : ` filter (where number = ${bind(interval)})`;
  const blockBegun = `block < ${bind(blocks)}`;
  const hasBegun = `coalesce(${blockBegun}, day < ${bind(days)})`;
  const isBegun = `case when sum(users) over of_group > 0 then bool_or(${blockBegun}) over of_group
    else bool_or(${hasBegun}) over of_group end`;
  const sum = (column: string): string => `coalesce(sum(${column}) filter (where ${hasBegun}) over of_group, 0)`;
  const shownValue = (value: string, excluded: string, found: string): string =>
    `case when ${excluded} + ${sum("masked_starts")} = 0 or ${found} > 0 then ${value} end`;
  const revenue = shownValue(sum("last_revenue"), sum("last_excluded_amounts"), sum("last_amounts"));
  const counted = shownValue(sum("last_counted"), sum("last_masked_returns"), sum("last_counted"));
  const cost = `case when ${sum("spend_rows")} > ${sum("unconverted_spend")} then ${sum("cost")} end`;
  const per = (divisor: string): string => quotient(revenue, divisor);
  const values: { readonly [shown in typeof metric]: string } = {
    app_revenue: revenue,
    app_user_count: counted,
    app_event_count: counted,
    app_arpu: per(sum("users")),
    app_arppu: per(sum("last_counted")),
    app_roas: per(cost),
  };
  return {
    returned: {
      last_counted: `sum(counted)${counts}`,
      last_revenue: `sum(revenue)${counts}`,
      last_amounts: `sum(amounts)${counts}`,
      last_masked_returns: `sum(masked_returns)${counts}`,
      last_excluded_amounts: `sum(masked_amounts + unconverted_amounts)${counts}`,
    },
    value: `case when ${isBegun} then ${values[metric]} end`,
  };
}

/** The last interval of a report, and the number of first blocks, or dates, of its range for which it has begun. */
function lastOf({ report }: RevenueContext) {
  const { query, timezone } = report;
  const { granularity, from } = query;
  const now = momentOf(report.now, timezone);
  const interval = intervalsBegun(granularity, beginningOf(from, timezone), now) - 1;
  const begun = (startOf: Parameters<typeof blocksBegun>[3]) => blocksBegun(interval, granularity, now, startOf);
  return {
    interval,
    blocks: begun((block) => blockStart(granularity, from, block, timezone)),
    days: begun((day) => beginningOf(addDays(from, day), timezone)),
  };
}
