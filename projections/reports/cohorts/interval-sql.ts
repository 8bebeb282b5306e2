import { assertNever } from "../../../domain/decider.ts";
import { beginningOf, type Granularity } from "../../../domain/reporting/granularity.ts";
import type { LocalDate } from "../../../domain/values/local-time.ts";
import type { Bind } from "../query/bindings.ts";

/** A moment in SQL: a `date`, the app's local one, and a `timestamptz`. */
export interface SqlMoment {
  readonly date: string;
  readonly at: string;
}

/** SQL of the first moment of a date in a time zone. */
export function beginningSql(date: LocalDate, timezone: string, bind: Bind): SqlMoment {
  const { instant } = beginningOf(date, timezone);
  return { date: `${bind(date)}::date`, at: `${bind(new Date(instant).toISOString())}::timestamptz` };
}

/**
 * SQL of `unitsBetween` (`domain/reporting/granularity.ts`): whole units from one moment to a later one, an integer
 * (contract/reports.md#intervals).
 */
export function intervalSql(granularity: Granularity, from: SqlMoment, to: SqlMoment): string {
  switch (granularity) {
    case "day":
      return `(${to.date} - ${from.date})`;
    case "week":
      return `((${to.date} - ${from.date}) / 7)`;
    case "month": {
      const months = `(12 * (extract(year from ${to.date}) - extract(year from ${from.date}))
        + extract(month from ${to.date}) - extract(month from ${from.date}))::integer`;
      return `(${months} - (${from.date} + ${months} * interval '1 month' > ${to.date})::integer)`;
    }
    case "hour":
      return elapsed(from, to, 3_600);
    case "minute":
      return elapsed(from, to, 60);
    default:
      return assertNever(granularity);
  }
}

function elapsed(from: SqlMoment, to: SqlMoment, seconds: number): string {
  return `floor(extract(epoch from (${to.at} - ${from.at})) / ${seconds})::integer`;
}
