import type { DateRange, MaskedRange } from "../../../domain/reporting/masking.ts";
import type { DailyRates } from "../../../domain/reporting/rate-pairs.ts";
import type { SchemaName } from "../../projection.ts";
import { beginningSql, intervalSql, type SqlMoment } from "../cohorts/interval-sql.ts";
import { columnOf, type GroupByColumn, groupNames } from "../facts/group-by-columns.ts";
import type { Bind } from "../query/bindings.ts";
import type { QueryContext, ReportAt } from "../query/query-context.ts";

/** The report of a revenue statement, with what is read for it. */
export interface RevenueStatementInput {
  readonly schema: SchemaName;
  readonly report: ReportAt<"revenue">;
  /** The dates of returns: from the first of the query. */
  readonly returnDates: DateRange;
  /** Exchange rates on each of those dates. */
  readonly rates: DailyRates;
  /** The masked ranges of those dates (contract/reports.md#masking). */
  readonly masked: readonly MaskedRange[];
  /** Those of the query, or none for everything together. */
  readonly groupBys: readonly string[];
  /**
   * Starts in earlier blocks are counted in this one (default 0: each block by itself): for totals, whose earlier blocks
   * have begun every interval.
   */
  readonly firstBlock?: number;
}

/** The common input of the parts of a revenue statement. */
export interface RevenueContext {
  readonly report: ReportAt<"revenue">;
  /** Reads starts and spend: the dates of the query, with its filters. */
  readonly starts: QueryContext;
  /** Reads returns, whatever they are attributed to. */
  readonly returns: QueryContext;
  readonly columns: readonly GroupByColumn[];
  /** The columns that a statement groups by: `g0`, `g1`... */
  readonly groups: readonly string[];
  readonly firstBlock: number;
}

export function revenueContext(
  { schema, report, returnDates, rates, masked, groupBys, firstBlock = 0 }: RevenueStatementInput,
  bind: Bind,
): RevenueContext {
  const shared = { schema, rates, masked, bind };
  return {
    report,
    starts: { ...shared, report },
    returns: { ...shared, report: { ...report, query: { ...returnDates, filters: [] } } },
    columns: groupBys.map(columnOf),
    groups: groupNames(groupBys),
    firstBlock,
  };
}

/** SQL of the number of the block of the range that a moment is in (contract/reports.md#retention). */
export function blockOf({ report, starts: { bind }, firstBlock }: RevenueContext, moment: SqlMoment): string {
  const { granularity, from } = report.query;
  const block = intervalSql(granularity, beginningSql(from, report.timezone, bind), moment);
  return firstBlock <= 0 ? block : `case when ${block} < ${firstBlock} then ${firstBlock} else ${block} end`;
}
