import type { EventSelection } from "../../../domain/reporting/catalogue/metric.ts";
import type { DateRange } from "../../../domain/reporting/masking.ts";
import { fewestReturnSelections } from "../../../domain/reporting/return-events.ts";
import { isSelected } from "../facts/fact-conditions.ts";
import { factView, maskingReasonsOf, unmaskedFacts } from "../masking/fact-view.ts";
import type { CountedFacts } from "../masking/withheld-months.ts";
import type { QueryContext, RangeAt } from "../query/query-context.ts";

/** The start events or return events of cohorts. */
export interface CohortEvents {
  readonly selections: readonly EventSelection[];
  /** Local dates, both inclusive. */
  readonly from: string;
  readonly to: string;
}

/**
 * The app events that a cohort report counts: starts of some categories on its dates and with its filters, and returns
 * until the last date of returns, which are not filtered.
 */
export function startsAndReturns(
  report: RangeAt,
  starts: readonly string[],
  returnEvents: readonly string[],
  returnDates: DateRange,
): readonly CountedFacts[] {
  const returns = { ...report, query: { ...returnDates, filters: [] } };
  const selections = fewestReturnSelections(returnEvents);
  return [
    { report, metrics: [{ kind: "events", of: { categories: starts } }] },
    { report: returns, metrics: selections.map((of) => ({ kind: "events", of })) },
  ];
}

/** SQL of whether an app event (`fact`) is one of these, at the position of a report. */
export function isOfCohort({ selections, from, to }: CohortEvents, { report, bind }: QueryContext): string {
  const { appId, position } = report;
  const conditions = [
    `fact.app_id = ${bind(appId)}`,
    `fact.local_date between ${bind(from)}::date and ${bind(to)}::date`,
    `fact.from_position <= ${bind(position)}`,
    `fact.to_position > ${bind(position)}`,
    `(${selections.map((selection) => isSelected(selection, bind)).join(" or ")})`,
  ];
  return conditions.join(" and ");
}

/**
 * SQL of whether an app event (`fact`) is one of these returns, which count up to the 'now' of a report
 * (contract/reports.md#intervals). Starts count even if their clock is ahead of it.
 */
export function isReturn(events: CohortEvents, context: QueryContext): string {
  return `${isOfCohort(events, context)} and fact.at <= ${context.bind(context.report.now.toISOString())}::timestamptz`;
}

/**
 * Unmasked start events as a table expression with all their columns: the last one of each device and local date, by
 * its instant, then its position in the log (contract/reports.md#retention). From the device's other dates: `next_at`,
 * the instant of its next start (null: none), and `is_alone`, whether it has no other start.
 *
 * Positions are looked up in `targets`, only for events at the same instant.
 */
export function lastStartsOfDates(events: CohortEvents, context: QueryContext): string {
  return `(
      select *,
        lead(at) over dates as next_at,
        lag(at) over dates is null and lead(at) over dates is null as is_alone
      from (
        select distinct on (device_key, local_date) *
        from (
          select fact.*,
            fact.at is not distinct from lag(fact.at) over moments
              or fact.at is not distinct from lead(fact.at) over moments as is_tied
          from ${unmaskedFacts("appEvents", context, isOfCohort(events, context))}
          window moments as (partition by fact.device_key, fact.local_date order by fact.at desc)
        ) as event
        order by device_key,
          local_date,
          at desc,
          case when is_tied then (
            select target.position
            from ${context.schema}.targets as target
            where target.app_id = event.app_id
              and target.event_id = event.event_id
          ) end desc
      ) as last_of_date
      window dates as (partition by device_key order by local_date)
    )`;
}

/**
 * Return events as a query: `device_key`, `local_date`, `first_at`, `last_at`, and `masking_reasons`, why they are
 * masked, as bits (contract/reports.md#masking; null: they are not).
 * @param by one row per device and local date (and reason), or one row per return event
 */
export function returnsOf(events: CohortEvents, by: "date" | "instant", context: QueryContext): string {
  const maskingReasons = maskingReasonsOf("appEvents", context);
  const from = `from ${factView("appEvents", context)}
      where ${isReturn(events, context)}`;
  if (by === "instant") {
    return `
      select fact.device_key,
        fact.local_date,
        fact.at as first_at,
        fact.at as last_at,
        ${maskingReasons} as masking_reasons
      ${from}`;
  }
  return `
      select fact.device_key,
        fact.local_date,
        min(fact.at) as first_at,
        max(fact.at) as last_at,
        ${maskingReasons} as masking_reasons
      ${from}
      group by fact.device_key, fact.local_date${context.masked.length === 0 ? "" : ", masked.masking_reasons"}`;
}
