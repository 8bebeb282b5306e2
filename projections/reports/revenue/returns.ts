import { lastInterval } from "../../../domain/reporting/granularity.ts";
import { fewestReturnSelections } from "../../../domain/reporting/return-events.ts";
import type { RevenueQuery } from "../../../domain/reporting/revenue/query.ts";
import { isReturn } from "../cohorts/cohort-events.ts";
import { type EventFields, noEventFields } from "../cohorts/event-fields.ts";
import { intervalSql } from "../cohorts/interval-sql.ts";
import { fromClause } from "../facts/from-clause.ts";
import { factView, hasMaskedFacts, maskingReasonsOf } from "../masking/fact-view.ts";
import { amountOf } from "../money/amounts.ts";
import type { RevenueContext } from "./revenue-context.ts";

type Counted = "events" | "devices" | "payers" | null;

/**
 * What each metric counts besides the revenue (contract/reports.md#revenue). Payers are devices with an amount above 0.
 */
const counts: { readonly [metric in RevenueQuery["metric"]]: Counted } = {
  app_revenue: null,
  app_event_count: "events",
  app_user_count: "devices",
  app_arppu: "payers",
  app_arpu: null,
  app_roas: null,
};

const namesOf = ({ fields }: EventFields): readonly string[] => Object.keys(fields);

/**
 * `return_event` for the `with` of a statement: the return events of every device, each with its `amount` in the app's
 * currency, whether it `has_value`, and `masking_reasons` (bits) if it is masked. A separate subquery (`offset 0` keeps
 * the planner from merging it), because looking them up by device takes 12 s instead of 1 for a million events; but not
 * materialized, which costs more than to read them.
 */
export function returnEventTable(context: RevenueContext, more: EventFields = noEventFields): string {
  const { report, returns } = context;
  const { from, to } = returns.report.query;
  const selections = fewestReturnSelections(report.query.returnEvents);
  const rows = {
    view: factView("appEvents", returns),
    conditions: [isReturn({ selections, from, to }, returns)],
  };
  const { converted } = amountOf("appEvents", returns);
  return `return_event as (
      select fact.device_key, fact.at, fact.local_date, fact.currency, fact.value is not null as has_value,
        ${namesOf(more)
          .map((name) => `${more.fields[name]} as "${name}", `)
          .join("")}
        ${converted} as amount, ${maskingReasonsOf("appEvents", returns)} as masking_reasons
      ${fromClause("appEvents", returns, [], more.columns, rows)}
      offset 0
    )`;
}

/**
 * The `return_event`s of each `start`, with the `number` of the interval after it (contract/reports.md#intervals): a
 * select.
 */
export function returnsOfStarts({ report: { query } }: RevenueContext, more: EventFields = noEventFields): string {
  const number = intervalSql(
    query.granularity,
    { date: "start.local_date", at: "start.at" },
    { date: "event.local_date", at: "event.at" },
  );
  return `select start.*, ${number} as number, event.amount,
        event.has_value, event.has_value and event.amount is null as is_unconverted, event.masking_reasons,
        event.currency, event.local_date as returned_on
        ${namesOf(more)
          .map((name) => `, event."${name}"`)
          .join("")}
      from start
      join return_event as event on event.device_key = start.device_key and event.at >= start.at
      where ${number} <= ${lastInterval[query.granularity]}`;
}

/**
 * `return_event`, `returned` and `cell` for the `with` of a statement: the returns by group, block and interval, as
 * `Returned` of the domain, but `masked_amounts` and `unconverted_amounts` instead of their sum; and `masking_reasons`
 * (bits), why some of the cell are masked.
 */
export function returnTables(context: RevenueContext): readonly string[] {
  const { metric, aggregationType } = context.report.query;
  const { groups } = context;
  const events = returnEventTable(context);
  const counted = counts[metric];
  const perDevice = counted === "devices" || counted === "payers";
  const keys = [...groups, "block", "number"].join(", ");
  const returnKeys = perDevice ? [...groups, "block", "device_key", "number"].join(", ") : keys;
  const masks = hasMaskedFacts("appEvents", context.returns);
  const returned = `returned as materialized (
      select ${[returnKeys, countedOf(counted), ...amountsOf(masks), ...maskedOf(counted, masks)].join(", ")}
      from (${returnsOfStarts(context)}) as return
      group by ${returnKeys}
    )`;
  const sums = `sum(revenue) as revenue, sum(amounts) as amounts, sum(masked_returns) as masked_returns,
        sum(masked_amounts) as masked_amounts, sum(unconverted_amounts) as unconverted_amounts,
        bit_or(masking_reasons) as masking_reasons`;
  if (!perDevice) return [events, returned, `cell as (select * from returned)`];
  if (aggregationType === "on-day") {
    return [
      events,
      returned,
      `cell as (
      select ${keys}, count(*) filter (where counted > 0) as counted, ${sums}
      from returned
      group by ${keys}
    )`,
    ];
  }
  const device = [...groups, "block", "device_key"].join(", ");
  const cell = `cell as (
      select ${keys}, sum(counted) as counted, ${sums}
      from (
        select ${keys}, 0 as counted, revenue, amounts, masked_returns, masked_amounts, unconverted_amounts,
          masking_reasons
        from returned
        union all
        select ${keys}, 1, null, 0, 0, 0, 0, 0
        from (
          select ${device}, min(number) filter (where counted > 0) as number
          from returned
          group by ${device}
        ) as first
        where number is not null
      ) as part
      group by ${keys}
    )`;
  return [events, returned, cell];
}

/** SQL of the number of returns, or of paying ones. */
function countedOf(counted: Counted): string {
  if (counted === null) return "0 as counted";
  const isPaid = counted === "payers" ? "and amount > 0" : "";
  return `count(*) filter (where masking_reasons is null ${isPaid}) as counted`;
}

/** SQL of the revenue of unmasked returns, the number of its amounts, and of those without an exchange rate. */
function amountsOf(masks: boolean): readonly string[] {
  const ofUnmasked = masks ? "filter (where masking_reasons is null)" : "";
  return [
    `sum(amount) ${ofUnmasked} as revenue`,
    `count(amount) ${ofUnmasked} as amounts`,
    "count(*) filter (where is_unconverted and masking_reasons is null) as unconverted_amounts",
  ];
}

/** SQL of the number of masked returns, of those with a value, and why some of the metric is masked. */
function maskedOf(counted: Counted, masks: boolean): readonly string[] {
  if (!masks) return ["0 as masked_returns", "0 as masked_amounts", "0 as masking_reasons"];
  const ofMetric = counted === "events" || counted === "devices" ? "" : "filter (where has_value)";
  return [
    "count(masking_reasons) as masked_returns",
    "count(*) filter (where has_value and masking_reasons is not null) as masked_amounts",
    `coalesce(bit_or(masking_reasons) ${ofMetric}, 0) as masking_reasons`,
  ];
}
