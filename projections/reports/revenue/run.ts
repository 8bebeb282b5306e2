import type { Knex } from "knex";
import type { ReportNotification } from "../../../domain/report-tasks/events.ts";
import { cohortLimits, exceededCohortLimits } from "../../../domain/reporting/cohort-events.ts";
import { lastReturnDate } from "../../../domain/reporting/granularity.ts";
import { exchangeRateMissing, type MissingRate, withheldBecause } from "../../../domain/reporting/notifications.ts";
import {
  type RevenueRow,
  type RevenueTotals,
  revenueRow,
  revenueTotal,
} from "../../../domain/reporting/revenue/row.ts";
import { localDate } from "../../../domain/values/local-time.ts";
import type { ReadModel } from "../../projection.ts";
import { reasonsIn, selectWithheld } from "../query/masking-sql.ts";
import type { ReportAt } from "../query/query-context.ts";
import { selectRates } from "../query/rate-in-force.ts";
import { type ReportLimits, reportTransaction } from "../query/report-transaction.ts";
import { hashOfRows, type ReportComputation } from "../results/report-computation.ts";
import { explainRevenue, type RevenueCell } from "./explain.ts";
import { foundGroups, groupOf } from "./groups.ts";
import { revenueMissingRates } from "./missing-rates.ts";
import type { RevenueAsked } from "./query-context.ts";
import { type FoundBucket, revenueStatement } from "./statement.ts";

export interface RevenueGroup extends RevenueRow {
  readonly groupBys: readonly (string | null)[];
}

export interface RevenueResult {
  /** At most 1,000 groups with 10,000 sub-rows together, in order. */
  readonly rows: readonly RevenueGroup[];
  /** Everything together, each device once; null when it was not asked for. */
  readonly total: RevenueTotals | null;
  /** SHA-256 over rows and total, hex: the same whenever the report is computed at its position. */
  readonly rowsHash: string;
  readonly notifications: readonly ReportNotification[];
}

/**
 * Computes a revenue report from the facts at its position (contract/reports.md#tasks, contract/reports.md#revenue).
 * The facts must have passed that position, and every target event up to it must be decided. Null when the first group
 * alone has more sub-rows than a result holds.
 * @param facts the generation of the facts that answers
 */
export async function runRevenue(
  facts: ReadModel,
  report: ReportAt<"revenue">,
  limits: ReportLimits,
): Promise<RevenueResult | null> {
  return reportTransaction(facts.db, limits, async (trx) => {
    const { timezone, query } = report;
    const now = { date: localDate(timezone, report.now.getTime()), instant: report.now.getTime() };
    const at = { timezone, now };
    const until = lastReturnDate(query.granularity, query.to);
    const [to = now.date] = [until, now.date].sort();
    const range = { from: query.from, to };
    const returns = { ...report, query: { ...range, filters: [] } };
    const rates = await selectRates(trx, facts.schema, returns);
    const withheld = await selectWithheld(trx, facts.schema, { ...report, today: now.date }, range);
    const asked = {
      schema: facts.schema,
      asked: report,
      returnDates: range,
      rates,
      withheld,
      groupBys: query.groupBys,
    };
    // As with retention: nobody knows how much there is of what the statement joins, and nested loops would be a bet. To
    // sort 300,000 returns by device costs a tenth of the report more than to hash them or the starts, whichever are fewer.
    await trx.raw("set local enable_nestloop = off; set local enable_mergejoin = off");
    const found = foundGroups(await selectBuckets(trx, asked, cohortLimits.subRows));
    if (found === null) return null;
    const everything = query.includesTotal ? groupOf(await selectBuckets(trx, { ...asked, groupBys: [] }, null)) : null;
    const rows = found.groups.map(({ groupBys, buckets }) => ({ groupBys, ...revenueRow(buckets, query, at) }));
    const total = everything === null ? null : revenueTotal(everything.buckets, query, at);
    const told = everything === null ? found.groups : [...found.groups, everything];
    const missing = told.some(({ lostAmounts }) => lostAmounts) ? await selectMissingRates(trx, asked) : [];
    return {
      rows,
      total,
      rowsHash: hashOfRows(rows, total),
      notifications: [
        ...reasonsIn(told.reduce((bits, { because }) => bits | because, 0)).map((because) => withheldBecause[because]),
        ...(found.isExceeded ? [exceededCohortLimits] : []),
        ...(missing.length === 0 ? [] : [exchangeRateMissing(missing)]),
      ],
    };
  });
}

async function selectBuckets(
  trx: Knex.Transaction,
  asked: RevenueAsked,
  most: number | null,
): Promise<readonly FoundBucket[]> {
  const { text, values } = revenueStatement(asked, most);
  const { rows } = await trx.raw<{ rows: FoundBucket[] }>(text, values);
  return rows;
}

async function selectMissingRates(trx: Knex.Transaction, asked: RevenueAsked): Promise<readonly MissingRate[]> {
  const { text, values } = revenueMissingRates(asked);
  const { rows } = await trx.raw<{ rows: MissingRate[] }>(text, values);
  return rows;
}

/** How revenue reports are computed and explained. */
export const revenueComputation: ReportComputation<"revenue", RevenueCell> = {
  run: runRevenue,
  explain: explainRevenue,
};
