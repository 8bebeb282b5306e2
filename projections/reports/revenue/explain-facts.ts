import { isInRow, type RowValue } from "../explain/explain-cell.ts";
import { explainedColumns, factFields } from "../explain/explain-facts.ts";
import type { CohortFacts } from "../explain/explain-statements.ts";
import { contextTables } from "../query/amounts.ts";
import { fromClause, hasMaskedFacts } from "../query/from-clause.ts";
import { isUnmasked } from "../query/masking-sql.ts";
import type { RevenueContext } from "./query-context.ts";
import { returnEventTable, returnsOfStarts } from "./returns.ts";
import { startTable } from "./starts.ts";

/** Which starts and returns of a revenue report a cell counts. */
export interface RevenueReach {
  readonly row: readonly RowValue[];
  /** First and last block of starts; null: all. */
  readonly blocks: readonly [number, number] | null;
  /** First and last interval of returns. */
  readonly intervals: readonly [number, number];
}

/** What is looked at of returns: those with an amount, those that pay, or every one. */
export type ReturnsCounted = "amounts" | "payments" | "events";

const { since, known, said } = factFields.appEvents;
const explainedFields = { since, ...known, ...said };

/** The start of each device of a cell, which adds 1. */
export function startFacts(context: RevenueContext, reach: RevenueReach): CohortFacts {
  const told = Object.entries(explainedFields).map(([name, text]) => `${text} as "${name}"`);
  const counted = `select distinct on (fact.device_key) fact.app_id, ${told.join(", ")}, fact.local_date,
      null::numeric as value, null::text as currency, 1::numeric as contribution, false as is_lost,
      null::integer as because
    ${startsOfRow(context, reach)}
      and (fact.device_key, fact.at) in (select device_key, at from start where ${isOfCell(context, reach, "block")})
    order by fact.device_key, fact.event_id::text`;
  return { ...shared(context, reach), counted, startEventId: null };
}

/** The returns of a cell, each with what it brought. */
export function returnFacts(context: RevenueContext, reach: RevenueReach, which: ReturnsCounted): CohortFacts {
  const { bind } = context.starts;
  const more = {
    columns: explainedColumns,
    fields: { app_id: "fact.app_id", value: "fact.value", ...explainedFields },
  };
  const names = Object.keys(explainedFields).map((name) => `"${name}"`);
  const ofAmounts = which === "amounts";
  const isAggregated = {
    amounts: "has_value",
    payments: "(because is not null and has_value or amount > 0)",
    events: "true",
  }[which];
  const [first, last] = reach.intervals;
  const counted = `select app_id, ${names.join(", ")}, returned_on as local_date, at as "startedAt",
      ${ofAmounts ? "value" : "null::numeric"} as value, ${ofAmounts ? "currency" : "null::text"} as currency,
      ${ofAmounts ? "amount" : "1"}::numeric as contribution, ${ofAmounts ? "is_unrated" : "false"} as is_lost, because
    from (${returnsOfStarts(context, more)}) as return
    where ${isOfCell(context, reach, "block")} and ${isAggregated}
      and number between ${bind(String(first))}::integer and ${bind(String(last))}::integer`;
  const startEventId = `(
      select fact.event_id ${startsOfRow(context, reach)}
        and fact.device_key = counted."userId" and fact.at = counted."startedAt"
      order by fact.event_id::text limit 1
    )`;
  const { tables, masked } = shared(context, reach);
  return { tables: [...tables, returnEventTable(context, more)], counted, masked, startEventId };
}

/** The start events of a row that are left, whether they are the first of their device or not. */
function startsOfRow({ report, starts, columns }: RevenueContext, { row }: RevenueReach): string {
  const events = { kind: "events", of: { categories: report.query.startEvents } } as const;
  const left = hasMaskedFacts("appEvents", starts) ? isUnmasked : "true";
  return `${fromClause("appEvents", starts, [events], [...columns, ...explainedColumns])}
      and ${isInRow("appEvents", row, starts.bind)} and ${left}`;
}

function shared(context: RevenueContext, reach: RevenueReach) {
  const masks = hasMaskedFacts("appEvents", context.starts);
  const lost = `select bit_or(lost_because) from start where ${isOfCell(context, reach, "lost_block")}`;
  return {
    tables: [...contextTables(context.returns), startTable(context)],
    masked: masks ? `coalesce((${lost}), 0)` : "0",
  };
}

/** Whether a row of `start` is one of the cell: of its group, and of one of its blocks. */
function isOfCell({ groups, starts: { bind } }: RevenueContext, { row, blocks }: RevenueReach, block: string): string {
  const values = row.map(({ value }, index) =>
    value === null ? `${groups[index]} is null` : `${groups[index]} = ${bind(value)}`,
  );
  const [first, last] = blocks?.map(String) ?? [];
  const isBetween =
    first === undefined || last === undefined
      ? `${block} is not null`
      : `${block} between ${bind(first)}::integer and ${bind(last)}::integer`;
  return [...values, isBetween].join(" and ");
}
