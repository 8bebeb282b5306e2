import type { Knex } from "knex";
import { requestedMetric } from "../../../domain/reporting/catalogue/catalogue.ts";
import { partsOf, type SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import { exceededRowLimit, type MissingRate } from "../../../domain/reporting/notifications.ts";
import type { ReadModel } from "../../projection.ts";
import type { Cell } from "../explain/facts-of-cell.ts";
import { factKinds } from "../facts/fact-kinds.ts";
import { countsAmounts, fromClause } from "../facts/from-clause.ts";
import { hasMaskedFacts, isUnmasked } from "../masking/fact-view.ts";
import { selectMaskedRanges } from "../masking/masked-facts.ts";
import { selectWithheldMonths } from "../masking/withheld-months.ts";
import { type AmountKind, amountColumns, amountOf, contextTables } from "../money/amounts.ts";
import { selectMissingRates, selectRates } from "../money/select-rates.ts";
import { selectAggregatedDays } from "../query/aggregated-days.ts";
import { bindings, selectRows } from "../query/bindings.ts";
import type { ActualsAt, UnboundContext } from "../query/query-context.ts";
import { type ReportLimits, reportTransaction } from "../query/report-transaction.ts";
import { type ComputedReport, computedReport, type ReportComputation } from "../results/report-computation.ts";
import { explainActuals } from "./explain.ts";
import { actualsStatement } from "./statement.ts";

/** A row of a result. Values are exact decimal text; null: nothing to show. */
export interface ActualsRow {
  readonly groupBys: readonly (string | null)[];
  readonly values: readonly (string | null)[];
  readonly masked: readonly boolean[];
}

interface FoundRow extends ActualsRow {
  /** Why some of it was masked, as bits. */
  readonly maskingReasons: number;
}

/** At most 10,000 rows (contract/reports.md#rows). */
export type ActualsResult = ComputedReport<ActualsRow>;

/**
 * Computes an actuals report from the facts at its position (contract/reports.md#tasks). The facts must have passed
 * that position, and every target event up to it must be decided.
 * @param facts the live generation of the facts
 */
export async function runActuals(facts: ReadModel, report: ActualsAt, limits: ReportLimits): Promise<ActualsResult> {
  return reportTransaction(facts.db, limits, async (trx) => {
    const rates = hasAmounts(report) ? await selectRates(trx, facts.schema, report) : new Map();
    const masked = isAboutUsers(report) ? await selectMaskedRanges(trx, facts.schema, report, report.query) : [];
    const unbound = { schema: facts.schema, report, rates, masked };
    const found = await selectFound(trx, unbound, report);
    const shown = found.slice(0, reportLimits.rows);
    const rows = shown.map(({ maskingReasons: _, ...row }) => row);
    const isAnyMasked = rows.some(({ masked }) => masked.includes(true));
    const maskingReasons = shown.reduce((bits, row) => bits | row.maskingReasons, 0);
    return computedReport(report, {
      rows,
      maskingReasons,
      withheld: await selectWithheldMonths(
        trx,
        unbound,
        [{ report, metrics: metricsOf(report.query) }],
        maskingReasons,
      ),
      exceeded: found.length > rows.length ? exceededRowLimit : null,
      missingRates: isAnyMasked && hasAmounts(report) ? await selectMissing(trx, unbound, report) : [],
    });
  });
}

function hasAmounts({ query }: ActualsAt): boolean {
  return metricsOf(query).some((metric) => factKinds.some((kind) => countsAmounts(metric, kind)));
}

/** Uploaded rows are never masked (contract/reports.md#masking). */
function isAboutUsers({ query }: ActualsAt): boolean {
  return metricsOf(query).some(({ kind }) => kind !== "spend" && kind !== "cost" && kind !== "uploaded");
}

function metricsOf({ metrics }: ActualsAt["query"]): readonly SimpleMetric[] {
  return metrics.map(requestedMetric).flatMap(partsOf);
}

async function selectFound(trx: Knex.Transaction, unbound: UnboundContext, report: ActualsAt) {
  const aggregatedDays = isAboutUsers(report) ? await selectAggregatedDays(trx, unbound.schema, report) : [];
  return selectRows<FoundRow>(trx, actualsStatement(unbound, report.query, aggregatedDays));
}

const amountKinds = Object.keys(amountColumns) as readonly AmountKind[];

function selectMissing(
  trx: Knex.Transaction,
  unbound: UnboundContext,
  { query }: ActualsAt,
): Promise<readonly MissingRate[]> {
  const { bind, values } = bindings();
  const context = { ...unbound, bind };
  const unconverted = amountKinds.flatMap((kind) => {
    const metrics = metricsOf(query).filter((metric) => countsAmounts(metric, kind));
    if (metrics.length === 0) return [];
    return `select distinct fact.currency, fact.local_date
      ${fromClause(kind, context, metrics, [])}
        and ${amountOf(kind, context).isUnconverted} ${hasMaskedFacts(kind, context) ? `and ${isUnmasked}` : ""}`;
  });
  return selectMissingRates(trx, contextTables(context), unconverted, values);
}

/** How actuals reports are computed and explained. */
export const actualsComputation: ReportComputation<"actuals", Cell> = { run: runActuals, explain: explainActuals };
