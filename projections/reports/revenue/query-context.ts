import { isGroupByKey } from "../../../domain/reporting/catalogue/group-bys.ts";
import type { DailyRates } from "../../../domain/reporting/currency-conversion.ts";
import { beginningOf } from "../../../domain/reporting/granularity.ts";
import type { DateRange, WithheldRange } from "../../../domain/reporting/masking.ts";
import type { SchemaName } from "../../projection.ts";
import { rateTable } from "../query/amounts.ts";
import type { Bind } from "../query/bindings.ts";
import { type GroupByColumn, groupByColumns } from "../query/group-by-columns.ts";
import { type SqlMoment, unitsBetween } from "../query/interval-sql.ts";
import { withheldTable } from "../query/masking-sql.ts";
import type { Reading, ReportAt } from "../query/query-context.ts";

/** What a revenue statement is about. */
export interface RevenueAsked {
  readonly schema: SchemaName;
  readonly asked: ReportAt<"revenue">;
  /** The dates that returns are looked for on: from the first of the query. */
  readonly returnDates: DateRange;
  /** Exchange rates on each of those dates. */
  readonly rates: DailyRates;
  /** What is left out of those dates (contract/reports.md#masking). */
  readonly withheld: readonly WithheldRange[];
  /** Those of the query, or none for everything together. */
  readonly groupBys: readonly string[];
}

/** What the parts of a revenue statement share. */
export interface RevenueReading {
  readonly asked: ReportAt<"revenue">;
  /** Reads starts and spend: the dates of the query, with its filters. */
  readonly starts: Reading;
  /** Reads returns, whatever they are attributed to. */
  readonly returns: Reading;
  readonly columns: readonly GroupByColumn[];
  /** The groups that a statement tells apart: `g0`, `g1`... */
  readonly groups: readonly string[];
}

export function revenueReading(
  { schema, asked, returnDates, rates, withheld, groupBys }: RevenueAsked,
  bind: Bind,
): RevenueReading {
  const shared = { schema, rates, withheld, bind };
  return {
    asked,
    starts: { ...shared, report: asked },
    returns: { ...shared, report: { ...asked, query: { ...returnDates, filters: [] } } },
    columns: groupBys.map(columnOf),
    groups: groupBys.map((_, index) => `g${index}`),
  };
}

/** What every revenue statement begins with. */
export function sharedTables({
  returns: { schema, rates, withheld, report, bind },
}: RevenueReading): readonly string[] {
  return [
    rateTable(rates, bind),
    ...(withheld.length === 0 ? [] : [withheldTable(withheld, schema, report.appId, bind)]),
  ];
}

/** The number of the block of the range that a moment is in, in SQL (contract/reports.md#retention). */
export function blockOf({ asked, starts: { bind } }: RevenueReading, moment: SqlMoment): string {
  const { granularity, from } = asked.query;
  const { instant } = beginningOf(from, asked.timezone);
  const origin = { date: `${bind(from)}::date`, at: `${bind(new Date(instant).toISOString())}::timestamptz` };
  return unitsBetween(granularity, origin, moment);
}

/** What is 'now' for the report: what happens after it does not count (contract/reports.md#intervals). */
export function nowOf({ asked, starts: { bind } }: RevenueReading): string {
  return `${bind(asked.now.toISOString())}::timestamptz`;
}

/** The column of a group-by or filter of a checked query. */
export function columnOf(key: string): GroupByColumn {
  if (!isGroupByKey(key)) throw new Error(`A recorded report groups or filters by ${key}, which the catalogue has not`);
  return groupByColumns[key];
}
