import { beginningOf, type Granularity, unitsBetween } from "../../../domain/reporting/granularity.ts";
import { calendarDays } from "../../../domain/values/local-time.ts";
import type { Bind } from "../query/bindings.ts";
import type { ReportAt } from "../query/query-context.ts";

/** An active users report, as far as its intervals depend on it. */
type IntervalScope = Pick<ReportAt<"active_users">, "query" | "timezone">;

/** SQL of the interval of an active users report in which a fact lies (contract/reports.md#active-users). */
interface IntervalOfFact {
  /** Over a fact (`fact`): the same value for all facts of an interval. */
  readonly key: string;
  /** The number of an interval from 0, over its key as `interval_key`. */
  readonly number: string;
}

/**
 * The interval of a fact. Numbers of intervals of whole days are looked up by date, those of elapsed time are computed
 * once per interval, so that neither is computed for each fact.
 */
export function intervalOfFact({ query, timezone }: IntervalScope, bind: Bind): IntervalOfFact {
  const { granularity, from } = query;
  if (!isOfWholeDays(granularity)) {
    const origin = `${bind(new Date(beginningOf(from, timezone).instant).toISOString())}::timestamptz`;
    const unit = `interval '1 ${granularity}'`;
    return {
      key: `date_bin(${unit}, fact.at, ${origin})`,
      number: `(extract(epoch from interval_key - ${origin}) / extract(epoch from ${unit}))::integer`,
    };
  }
  const numbers = intervalNumbers({ query, timezone }).map(String);
  return { key: `(${bind(numbers)}::integer[])[${dateNumber(from, bind)}]`, number: "interval_key" };
}

/** Whether a fact (`fact`) lies in the interval of a number, in SQL. */
export function isInInterval(scope: IntervalScope, number: number, bind: Bind): string {
  const interval = intervalOfFact(scope, bind);
  return `(select ${interval.number} from (select ${interval.key} as interval_key) as of_fact) = ${bind(number.toString())}::integer`;
}

export function isOfWholeDays(granularity: Granularity): boolean {
  return granularity !== "hour" && granularity !== "minute";
}

/** The number of the interval of each date of a report whose intervals are whole days. */
export function intervalNumbers({ query, timezone }: IntervalScope): readonly number[] {
  const { granularity, from, to } = query;
  const first = beginningOf(from, timezone);
  return calendarDays(from, to).map(({ date }) => unitsBetween(granularity, first, { ...first, date }));
}

/** SQL of the number of a fact's date among those of the report, from 1. */
export function dateNumber(from: string, bind: Bind): string {
  return `fact.local_date - ${bind(from)}::date + 1`;
}
