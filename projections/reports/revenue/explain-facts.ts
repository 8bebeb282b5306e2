import { isInRow, type RowValue } from "../explain/explain-cell.ts";
import { readToTell, toldFacts } from "../explain/explain-facts.ts";
import type { CohortFacts } from "../explain/explain-statements.ts";
import { factsOf, hasWithheld } from "../query/from-clause.ts";
import { isLeft } from "../query/masking-sql.ts";
import { type RevenueReading, sharedTables } from "./query-context.ts";
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

const { since, known, said } = toldFacts.appEvents;
const saidOfFact = { since, ...known, ...said };

/** The start of each device of a cell, which adds 1. */
export function countedStarts(reading: RevenueReading, reach: RevenueReach): CohortFacts {
  const told = Object.entries(saidOfFact).map(([name, text]) => `${text} as "${name}"`);
  const counted = `select distinct on (fact.device_key) fact.app_id, ${told.join(", ")}, fact.local_date,
      null::numeric as value, null::text as currency, 1::numeric as contribution, false as is_lost,
      null::integer as because
    ${startsOfRow(reading, reach)}
      and (fact.device_key, fact.at) in (select device_key, at from start where ${isOfCell(reading, reach, "block")})
    order by fact.device_key, fact.event_id::text`;
  return { ...shared(reading, reach), counted, startEventId: null };
}

/** The returns of a cell, each with what it brought. */
export function countedReturns(reading: RevenueReading, reach: RevenueReach, which: ReturnsCounted): CohortFacts {
  const { bind } = reading.starts;
  const told = { columns: readToTell, fields: { app_id: "fact.app_id", value: "fact.value", ...saidOfFact } };
  const names = Object.keys(saidOfFact).map((name) => `"${name}"`);
  const ofAmounts = which === "amounts";
  const isCounted = {
    amounts: "has_value",
    payments: "(because is not null and has_value or amount > 0)",
    events: "true",
  }[which];
  const [first, last] = reach.intervals;
  const counted = `select app_id, ${names.join(", ")}, returned_on as local_date, at as "startedAt",
      ${ofAmounts ? "value" : "null::numeric"} as value, ${ofAmounts ? "currency" : "null::text"} as currency,
      ${ofAmounts ? "amount" : "1"}::numeric as contribution, ${ofAmounts ? "is_unrated" : "false"} as is_lost, because
    from (${returnsOfStarts(reading, told)}) as return
    where ${isOfCell(reading, reach, "block")} and ${isCounted}
      and number between ${bind(String(first))}::integer and ${bind(String(last))}::integer`;
  const startEventId = `(
      select fact.event_id ${startsOfRow(reading, reach)}
        and fact.device_key = counted."userId" and fact.at = counted."startedAt"
      order by fact.event_id::text limit 1
    )`;
  const { tables, withheld } = shared(reading, reach);
  return { tables: [...tables, returnEventTable(reading, told)], counted, withheld, startEventId };
}

/** The start events of a row that are left, whether they are the first of their device or not. */
function startsOfRow({ asked, starts, columns }: RevenueReading, { row }: RevenueReach): string {
  const events = { kind: "events", of: { categories: asked.query.startEvents } } as const;
  const left = hasWithheld("appEvents", starts) ? isLeft : "true";
  return `${factsOf("appEvents", starts, [events], [...columns, ...readToTell])}
      and ${isInRow("appEvents", row, starts.bind)} and ${left}`;
}

function shared(reading: RevenueReading, reach: RevenueReach) {
  const masks = hasWithheld("appEvents", reading.starts);
  const lost = `select bit_or(lost_because) from start where ${isOfCell(reading, reach, "lost_block")}`;
  return {
    tables: [...sharedTables(reading), startTable(reading)],
    withheld: masks ? `coalesce((${lost}), 0)` : "0",
  };
}

/** Whether a row of `start` is one of the cell: of its group, and of one of its blocks. */
function isOfCell({ groups, starts: { bind } }: RevenueReading, { row, blocks }: RevenueReach, block: string): string {
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
