import type { Knex } from "knex";
import { blockStart, blocksBegun, lastInterval, momentOf, returnDates } from "../../../domain/reporting/granularity.ts";
import { maxResultLines } from "../../../domain/reporting/limits.ts";
import { exceededGroupLimits, type MissingRate } from "../../../domain/reporting/notifications.ts";
import type { RevenueQuery } from "../../../domain/reporting/revenue/query.ts";
import {
  intervalCount,
  type ReportTime,
  type RevenueRow,
  type RevenueTotals,
  revenueRow,
  revenueTotal,
} from "../../../domain/reporting/revenue/row.ts";
import type { ReadModel } from "../../projection.ts";
import { startsAndReturns } from "../cohorts/cohort-events.ts";
import { fromClause } from "../facts/from-clause.ts";
import { selectMaskedRanges } from "../masking/masked-facts.ts";
import { selectWithheldMonths } from "../masking/withheld-months.ts";
import { amountOf, contextTables } from "../money/amounts.ts";
import { selectMissingRates, selectRates } from "../money/select-rates.ts";
import { bindings, selectRows } from "../query/bindings.ts";
import type { ReportAt } from "../query/query-context.ts";
import { type ReportLimits, reportTransaction } from "../query/report-transaction.ts";
import { mapInTurns } from "../results/map-in-turns.ts";
import { type ComputedReport, computedReport, type ReportComputation } from "../results/report-computation.ts";
import { hasKeysOfCohort, hasSpendColumns } from "./cohort-cost.ts";
import { startTable } from "./cohorts.ts";
import { explainRevenue, type RevenueCell } from "./explain.ts";
import { bucketOf, foundGroups, isUnconverted } from "./result-groups.ts";
import { returnEventTable, returnsOfStarts } from "./returns.ts";
import { type RevenueStatementInput, revenueContext } from "./revenue-context.ts";
import { type FoundBucket, revenueStatement } from "./statement.ts";

export interface RevenueGroup extends RevenueRow {
  readonly groupBys: readonly (string | null)[];
}

/** The total counts each device once, null unless requested. */
export type RevenueResult = ComputedReport<RevenueGroup, RevenueTotals>;

/**
 * Computes a revenue report from the facts at its position (contract/reports.md#tasks, contract/reports.md#revenue).
 * The facts must have passed that position, and every target event up to it must be decided. Null when the first group
 * alone has more sub-rows than a result holds.
 * @param facts the live generation of the facts
 */
export async function runRevenue(
  facts: ReadModel,
  report: ReportAt<"revenue">,
  limits: ReportLimits,
): Promise<RevenueResult | null> {
  return reportTransaction(facts.db, limits, async (trx) => {
    const { timezone, query } = report;
    const at = { timezone, now: momentOf(report.now, timezone) };
    const range = returnDates(query, at.now);
    const returns = { ...report, query: { ...range, filters: [] } };
    const rates = await selectRates(trx, facts.schema, returns);
    const masked = await selectMaskedRanges(trx, facts.schema, report, range);
    const input = {
      schema: facts.schema,
      report,
      returnDates: range,
      rates,
      masked,
      groupBys: query.groupBys,
    };
    // As with retention, the planner cannot estimate what the statement joins, and may choose ruinous nested loops.
    // Sorting 300,000 returns by device instead of hashing them, or the starts if fewer, takes a tenth longer.
    await trx.raw("set local enable_nestloop = off; set local enable_mergejoin = off");
    const max = maxResultLines(intervalCount(query, at));
    const found = foundGroups(await selectRows<FoundBucket>(trx, revenueStatement(input, max)), max);
    if (found === null) return null;
    const ofTotal = { ...input, groupBys: [], firstBlock: firstBlockOfTotal(query, at) };
    const everything = query.includesTotal ? await selectRows<FoundBucket>(trx, revenueStatement(ofTotal, null)) : [];
    const rows = await mapInTurns(found.groups, (buckets) => ({
      groupBys: buckets[0]?.groupBys ?? [],
      ...revenueRow(buckets.map(bucketOf), query, at),
    }));
    const total = query.includesTotal ? revenueTotal(everything.map(bucketOf), query, at) : null;
    const shown = [...found.groups.flat(), ...everything];
    const maskingReasons = shown.reduce((bits, bucket) => bits | bucket.maskingReasons, 0);
    // The rates that the total lacks include those of the groups.
    const unconverted = everything.some(isUnconverted) ? ofTotal : input;
    return computedReport(report, {
      rows,
      total,
      maskingReasons,
      withheld: await selectWithheldMonths(
        trx,
        { schema: facts.schema, rates, masked },
        startsAndReturns(report, query.startEvents, query.returnEvents, range),
        maskingReasons,
      ),
      exceeded: found.isExceeded ? exceededGroupLimits : null,
      missingRates: shown.some(isUnconverted) ? await selectMissing(trx, unconverted) : [],
    });
  });
}

/**
 * The last block that has begun every interval: in the total all earlier ones count like it. So a total has few blocks, even
 * of 132,480 minutes.
 */
function firstBlockOfTotal({ granularity, from }: RevenueQuery, { timezone, now }: ReportTime): number {
  const startOf = (block: number) => blockStart(granularity, from, block, timezone);
  return blocksBegun(lastInterval[granularity], granularity, now, startOf) - 1;
}

/** The amounts of returns and spend that lack an exchange rate. */
function selectMissing(trx: Knex.Transaction, input: RevenueStatementInput): Promise<readonly MissingRate[]> {
  const { bind, values } = bindings();
  const context = revenueContext(input, bind);
  const { starts, returns } = context;
  const returned = `select currency, returned_on as local_date
    from (${returnsOfStarts(context)}) as return
    where is_unconverted and masking_reasons is null`;
  const spent = `select fact.currency, fact.local_date
    ${fromClause("spend", starts, [{ kind: "cost" }], context.columns)} and ${hasKeysOfCohort(context)}
      and ${amountOf("spend", starts).isUnconverted}`;
  const tables = [...contextTables(returns), startTable(context), returnEventTable(context)];
  return selectMissingRates(trx, tables, hasSpendColumns(context) ? [returned, spent] : [returned], values);
}

/** How revenue reports are computed and explained. */
export const revenueComputation: ReportComputation<"revenue", RevenueCell> = {
  run: runRevenue,
  explain: explainRevenue,
};
