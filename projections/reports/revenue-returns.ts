import type { RevenueQuery } from "../../domain/report-tasks/events.ts";
import { returnSelections } from "../../domain/reporting/cohort-events.ts";
import { lastInterval } from "../../domain/reporting/granularity.ts";
import { amountOf } from "./amounts.ts";
import { isSelected } from "./fact-conditions.ts";
import { factsOf, hasWithheld } from "./facts-of.ts";
import type { GroupByColumn } from "./group-by-columns.ts";
import { nowOf, type RevenueReading } from "./revenue-reading.ts";
import { unitsBetween } from "./units-between.ts";

/** What each metric counts beside the revenue (D7.11). Payers are devices with an amount above 0. */
const counts: { readonly [metric in RevenueQuery["metric"]]: "events" | "devices" | "payers" | null } = {
  app_revenue: null,
  app_event_count: "events",
  app_user_count: "devices",
  app_arppu: "payers",
  app_arpu: null,
  app_roas: null,
};

/** What is to be told of each return besides: SQL by name, over `fact`, and the columns that it reads. */
export interface ToldOfReturns {
  readonly columns: readonly GroupByColumn[];
  readonly fields: { readonly [name: string]: string };
}

const nothingTold: ToldOfReturns = { columns: [], fields: {} };
const namesOf = ({ fields }: ToldOfReturns): readonly string[] => Object.keys(fields);

/**
 * `return_event` for the `with` of a statement: the return events, whoever started, each with its `amount` in the app's
 * currency, whether it `is_unrated` and `has_value`, and `because` (bits) of one that is withheld. Read by themselves,
 * because a database that finds them device by device takes 12 s instead of 1 for a million events.
 */
export function returnEventTable(reading: RevenueReading, told: ToldOfReturns = nothingTold): string {
  const { asked, returns } = reading;
  const selections = asked.query.returnEvents.map((event) => returnSelections[event]);
  const metrics = selections.map((of) => ({ kind: "events", of }) as const);
  const isReturn = selections.map((selection) => isSelected(selection, returns.bind)).join(" or ");
  const { converted, isLost } = amountOf("appEvents", returns);
  const because = hasWithheld("appEvents", returns) ? "withheld.because" : "null::integer";
  return `return_event as materialized (
      select fact.device_key, fact.at, fact.local_date, fact.currency, fact.value is not null as has_value,
        ${namesOf(told)
          .map((name) => `${told.fields[name]} as "${name}", `)
          .join("")}
        ${converted} as amount, coalesce(${isLost}, false) as is_unrated, ${because} as because
      ${factsOf("appEvents", returns, metrics, told.columns)} and (${isReturn}) and fact.at <= ${nowOf(reading)}
    )`;
}

/** The `return_event`s of each `start`, with the `number` of the interval after it (D7.9): a select. */
export function returnsOfStarts({ asked: { query } }: RevenueReading, told: ToldOfReturns = nothingTold): string {
  const number = unitsBetween(
    query.granularity,
    { date: "start.local_date", at: "start.at" },
    { date: "event.local_date", at: "event.at" },
  );
  return `select start.*, ${number} as number, event.amount, event.is_unrated, event.has_value, event.because,
        event.currency, event.local_date as returned_on
        ${namesOf(told)
          .map((name) => `, event."${name}"`)
          .join("")}
      from start
      join return_event as event on event.device_key = start.device_key and event.at >= start.at
      where ${number} <= ${lastInterval[query.granularity]}`;
}

/**
 * `return_event`, `returned` and `cell` for the `with` of a statement: by group, block and interval what came back, as `Returned` of the
 * domain says, and `because` (bits) of what the cell has lost.
 */
export function returnTables(reading: RevenueReading): readonly string[] {
  const { metric, aggregationType } = reading.asked.query;
  const { groups } = reading;
  const events = returnEventTable(reading);
  const counted = counts[metric];
  const perDevice = counted === "devices" || counted === "payers";
  const keys = [...groups, "block", "number"].join(", ");
  const ofDevice = [...groups, "block", "device_key", "number"].join(", ");
  const counting = counted === "payers" ? "because is null and amount > 0" : "because is null";
  const losing = counted === "events" || counted === "devices" ? "true" : "has_value";
  const returned = `returned as materialized (
      select ${perDevice ? ofDevice : keys},
        ${counted === null ? "0" : `count(*) filter (where ${counting})`} as counted,
        sum(amount) filter (where because is null) as revenue,
        count(amount) filter (where because is null) as amounts,
        count(because) as lost,
        count(*) filter (where has_value and because is not null) as lost_amounts,
        count(*) filter (where is_unrated and because is null) as unrated,
        coalesce(bit_or(because) filter (where ${losing}), 0) as because
      from (${returnsOfStarts(reading)}) as return
      group by ${perDevice ? ofDevice : keys}
    )`;
  const sums =
    "sum(revenue) as revenue, sum(amounts) as amounts, sum(lost) as lost, sum(lost_amounts) as lost_amounts, sum(unrated) as unrated, bit_or(because) as because";
  if (!perDevice) return [events, returned, `cell as (select * from returned)`];
  if (aggregationType === "on-day") {
    return [
      events,
      returned,
      `cell as (select ${keys}, count(*) filter (where counted > 0) as counted, ${sums} from returned group by ${keys})`,
    ];
  }
  const device = [...groups, "block", "device_key"].join(", ");
  const cell = `cell as (
      select ${keys}, sum(counted) as counted, ${sums}
      from (
        select ${keys}, 0 as counted, revenue, amounts, lost, lost_amounts, unrated, because from returned
        union all
        select ${keys}, 1, null, 0, 0, 0, 0, 0
        from (
          select ${device}, min(number) filter (where counted > 0) as number from returned group by ${device}
        ) as first
        where number is not null
      ) as part
      group by ${keys}
    )`;
  return [events, returned, cell];
}
