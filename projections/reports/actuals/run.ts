import type { Knex } from "knex";
import type { ReportNotification } from "../../../domain/report-tasks/events.ts";
import { requestedMetric } from "../../../domain/reporting/catalogue/catalogue.ts";
import { partsOf, type SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import type { DailyRates } from "../../../domain/reporting/currency-conversion.ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import type { WithheldRange } from "../../../domain/reporting/masking.ts";
import {
  exceededRowLimit,
  exchangeRateMissing,
  filteredByChannel,
  type MissingRate,
  withheldBecause,
} from "../../../domain/reporting/notifications.ts";
import { localDate } from "../../../domain/values/local-time.ts";
import type { ReadModel, SchemaName } from "../../projection.ts";
import type { Cell } from "../explain/explain-cell.ts";
import { selectCountedDays } from "../query/aggregated-days.ts";
import { countsAmounts } from "../query/from-clause.ts";
import { reasonsIn, selectWithheld } from "../query/masking-sql.ts";
import { factKinds } from "../query/measures.ts";
import type { ActualsAt } from "../query/query-context.ts";
import { selectRates } from "../query/rate-in-force.ts";
import { type ReportLimits, reportTransaction } from "../query/report-transaction.ts";
import { hashOfRows, type ReportComputation } from "../results/report-computation.ts";
import { explainActuals } from "./explain.ts";
import { missingRatesStatement } from "./missing-rates.ts";
import { actualsStatement } from "./statement.ts";

/** A row of a result. Values are exact decimal text; null: nothing to show. */
export interface ActualsRow {
  readonly groupBys: readonly (string | null)[];
  readonly values: readonly (string | null)[];
  readonly masked: readonly boolean[];
}

interface FoundRow extends ActualsRow {
  /** Why something was withheld of it, as bits. */
  readonly loss: number;
}

export interface ActualsResult {
  /** At most 10,000 (contract/reports.md#rows), in order. */
  readonly rows: readonly ActualsRow[];
  /** SHA-256 over the rows, hex: the same whenever the report is computed at its position. */
  readonly rowsHash: string;
  readonly notifications: readonly ReportNotification[];
}

/**
 * Computes an actuals report from the facts at its position (contract/reports.md#tasks). The facts must have passed
 * that position, and every target event up to it must be decided.
 * @param facts the generation of the facts that answers
 */
export async function runActuals(facts: ReadModel, report: ActualsAt, limits: ReportLimits): Promise<ActualsResult> {
  return reportTransaction(facts.db, limits, async (trx) => {
    const rates = hasAmounts(report) ? await selectRates(trx, facts.schema, report) : new Map();
    const today = localDate(report.timezone, report.now.getTime());
    const withheld = isAboutUsers(report)
      ? await selectWithheld(trx, facts.schema, { ...report, today }, report.query)
      : [];
    const found = await selectRows(trx, facts.schema, report, rates, withheld);
    const shown = found.slice(0, reportLimits.rows);
    const rows = shown.map(({ loss: _, ...row }) => row);
    const reasons = reasonsIn(shown.reduce((bits, { loss }) => bits | loss, 0));
    const lostAmounts = rows.some(({ masked }) => masked.includes(true));
    const missing = lostAmounts ? await selectMissingRates(trx, facts.schema, report, rates, withheld) : [];
    return {
      rows,
      rowsHash: hashOfRows(rows),
      notifications: [
        ...(report.onlyChannels === null ? [] : [filteredByChannel]),
        ...reasons.map((because) => withheldBecause[because]),
        ...(found.length > rows.length ? [exceededRowLimit] : []),
        ...(missing.length === 0 ? [] : [exchangeRateMissing(missing)]),
      ],
    };
  });
}

function hasAmounts({ query }: ActualsAt): boolean {
  return metricsOf(query).some((metric) => factKinds.some((kind) => countsAmounts(metric, kind)));
}

/** Of uploaded rows nothing is withheld (contract/reports.md#masking). */
function isAboutUsers({ query }: ActualsAt): boolean {
  return metricsOf(query).some(({ kind }) => kind !== "spend" && kind !== "cost" && kind !== "uploaded");
}

function metricsOf({ metrics }: ActualsAt["query"]): readonly SimpleMetric[] {
  return metrics.map(requestedMetric).flatMap(partsOf);
}

async function selectRows(
  trx: Knex.Transaction,
  schema: SchemaName,
  report: ActualsAt,
  rates: DailyRates,
  withheld: readonly WithheldRange[],
): Promise<readonly FoundRow[]> {
  const countedDays = isAboutUsers(report) ? await selectCountedDays(trx, schema, report) : [];
  const { text, values } = actualsStatement(schema, report, rates, withheld, countedDays);
  const { rows } = await trx.raw<{ rows: FoundRow[] }>(text, values);
  return rows;
}

async function selectMissingRates(
  trx: Knex.Transaction,
  schema: SchemaName,
  report: ActualsAt,
  rates: DailyRates,
  withheld: readonly WithheldRange[],
): Promise<readonly MissingRate[]> {
  const statement = missingRatesStatement(schema, report, rates, withheld);
  if (statement === null) return [];
  const { rows } = await trx.raw<{ rows: MissingRate[] }>(statement.text, statement.values);
  return rows;
}

/** How actuals reports are computed and explained. */
export const actualsComputation: ReportComputation<"actuals", Cell> = { run: runActuals, explain: explainActuals };
