import type { RevenueQuery } from "../../domain/report-tasks/events.ts";
import { lastInterval } from "../../domain/reporting/granularity.ts";
import { returnedEvents } from "../../domain/reporting/revenue-events.ts";
import { amountOf } from "./amounts.ts";
import { isSelected } from "./fact-conditions.ts";
import { factsOf, hasWithheld } from "./facts-of.ts";
import { nowOf, type RevenueReading } from "./revenue-reading.ts";
import { unitsBetween } from "./units-between.ts";
import { isWithheld } from "./withheld.ts";

/** What each metric counts beside the revenue (D7.11). Payers are devices with an amount above 0. */
const counts: { readonly [metric in RevenueQuery["metric"]]: "events" | "devices" | "payers" | null } = {
  app_revenue: null,
  app_event_count: "events",
  app_user_count: "devices",
  app_arppu: "payers",
  app_arpu: null,
  app_roas: null,
};

/**
 * The returns of the devices of `start`, each with the interval after its start (D7.9): a select of `start.*`,
 * `number`, `amount`, `currency`, `local_date`, `is_left`, `is_unrated`, `has_value`, `because`.
 */
export function returnsOfStarts(reading: RevenueReading): string {
  const { asked, returns } = reading;
  const { granularity, returnEvents } = asked.query;
  const selections = returnedEvents(returnEvents);
  const facts = factsOf(
    "appEvents",
    returns,
    selections.map((of) => ({ kind: "events", of })),
    [],
  );
  const selected = selections.map((of) => `(${isSelected(of, returns.bind)})`).join(" or ");
  const { converted, isLost } = amountOf("appEvents", returns);
  const masks = hasWithheld("appEvents", returns);
  const interval = unitsBetween(
    granularity,
    { date: "start.local_date", at: "start.at" },
    { date: "fact.local_date", at: "fact.at" },
  );
  return `select ${["start.*", `${interval} as number`, "fact.amount", "fact.is_unrated", "fact.has_value", "fact.because"].join(", ")},
        fact.currency, fact.local_date as returned_on
      from (
        select fact.device_key, fact.at, fact.local_date, fact.currency, fact.value is not null as has_value,
          ${converted} as amount, coalesce(${isLost}, false) as is_unrated,
          ${masks ? `case when ${isWithheld} then withheld.because end` : "null::integer"} as because
        ${facts} and (${selected}) and fact.at <= ${nowOf(reading)}
      ) as fact
      join start on start.device_key = fact.device_key and start.at <= fact.at
      where ${interval} <= ${lastInterval[granularity]}`;
}

/**
 * `returned` and `cell` for the `with` of a statement: by group, block and interval what came back, as `Returned` of the
 * domain says, and `because` (bits) of what the cell has lost.
 */
export function returnTables(reading: RevenueReading): readonly string[] {
  const { metric, aggregationType } = reading.asked.query;
  const { groups } = reading;
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
  if (!perDevice) return [returned, `cell as (select * from returned)`];
  if (aggregationType === "on-day") {
    return [
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
  return [returned, cell];
}
