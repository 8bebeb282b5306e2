import { createHash } from "node:crypto";
import type { Knex } from "knex";
import type { ReportNotification } from "../../domain/report-tasks/events.ts";
import { actualsLimits, askedMetric } from "../../domain/reporting/catalogue.ts";
import type { DailyRates } from "../../domain/reporting/conversion.ts";
import { partsOf } from "../../domain/reporting/metric.ts";
import {
  exceededRowLimit,
  exchangeRateMissing,
  filteredByChannel,
  type MissingRate,
} from "../../domain/reporting/notifications.ts";
import type { ReadModel, SchemaName } from "../projection.ts";
import { actualsStatement } from "./actuals-statement.ts";
import { selectRates } from "./exchange-rates.ts";
import { countsAmounts } from "./facts-of.ts";
import { factKinds } from "./measures.ts";
import { missingRatesStatement } from "./missing-rates.ts";
import type { ActualsAt } from "./reading.ts";
import { type ReportLimits, reportTransaction } from "./report-transaction.ts";

/** A row of a result. Values are exact decimal text; null: nothing to show. */
export interface ResultRow {
  readonly groupBys: readonly (string | null)[];
  readonly values: readonly (string | null)[];
  readonly masked: readonly boolean[];
}

export interface ReportResult {
  /** At most 10,000 (D7.6), in order. */
  readonly rows: readonly ResultRow[];
  /** SHA-256 over the rows, hex: the same whenever the report is computed at its position. */
  readonly rowsHash: string;
  readonly notifications: readonly ReportNotification[];
}

/**
 * Computes an actuals report from the facts at its position (D7.1). The facts must have passed that position, and every
 * target event up to it must be decided.
 * @param facts the generation of the facts that answers
 */
export async function runActuals(facts: ReadModel, report: ActualsAt, limits: ReportLimits): Promise<ReportResult> {
  return reportTransaction(facts.db, limits, async (trx) => {
    const rates = hasAmounts(report) ? await selectRates(trx, facts.schema, report) : new Map();
    const found = await selectRows(trx, facts.schema, report, rates);
    const rows = found.slice(0, actualsLimits.rows);
    const lostAmounts = rows.some(({ masked }) => masked.includes(true));
    const missing = lostAmounts ? await selectMissingRates(trx, facts.schema, report, rates) : [];
    return {
      rows,
      rowsHash: hashOf(rows),
      notifications: [
        ...(report.onlyChannels === null ? [] : [filteredByChannel]),
        ...(found.length > rows.length ? [exceededRowLimit] : []),
        ...(missing.length === 0 ? [] : [exchangeRateMissing(missing)]),
      ],
    };
  });
}

function hasAmounts({ query }: ActualsAt): boolean {
  const metrics = query.metrics.map(askedMetric).flatMap(partsOf);
  return metrics.some((metric) => factKinds.some((kind) => countsAmounts(metric, kind)));
}

async function selectRows(
  trx: Knex.Transaction,
  schema: SchemaName,
  report: ActualsAt,
  rates: DailyRates,
): Promise<readonly ResultRow[]> {
  const { text, values } = actualsStatement(schema, report, rates);
  const { rows } = await trx.raw<{ rows: ResultRow[] }>(text, values);
  return rows;
}

async function selectMissingRates(
  trx: Knex.Transaction,
  schema: SchemaName,
  report: ActualsAt,
  rates: DailyRates,
): Promise<readonly MissingRate[]> {
  const statement = missingRatesStatement(schema, report, rates);
  if (statement === null) return [];
  const { rows } = await trx.raw<{ rows: MissingRate[] }>(statement.text, statement.values);
  return rows;
}

function hashOf(rows: readonly ResultRow[]): string {
  const hash = createHash("sha256");
  for (const { groupBys, values, masked } of rows) hash.update(`${JSON.stringify([groupBys, values, masked])}\n`);
  return hash.digest("hex");
}
