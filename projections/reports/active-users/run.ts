import type { Knex } from "knex";
import type { ReportNotification } from "../../../domain/report-tasks/events.ts";
import { countedFor } from "../../../domain/reporting/active-users/catalogue.ts";
import {
  exceededActiveUsersLimit,
  exchangeRateMissing,
  filteredByChannel,
  type MissingRate,
  withheldBecause,
} from "../../../domain/reporting/notifications.ts";
import { localDate } from "../../../domain/values/local-time.ts";
import type { ReadModel } from "../../projection.ts";
import { selectCountedDays } from "../query/aggregated-days.ts";
import { reasonsIn, selectWithheld } from "../query/masking-sql.ts";
import type { ReportAt } from "../query/query-context.ts";
import { selectRates } from "../query/rate-in-force.ts";
import { type ReportLimits, reportTransaction } from "../query/report-transaction.ts";
import { hashOfRows, type ReportComputation } from "../results/report-computation.ts";
import { isOfWholeDays } from "./block.ts";
import type { CountedUsers } from "./counting.ts";
import { activeDaysStatement, activeOnDays, type FoundDays } from "./days.ts";
import { type ActiveUsersCell, explainActiveUsers } from "./explain.ts";
import { type ActiveUsersGroup, activeUsersGroups, type FoundGroup, heldGroups } from "./groups.ts";
import { activeUsersMissingRates, activeUsersStatement, type Unbound } from "./statement.ts";

export interface ActiveUsersResult {
  /** At most 1,000 groups, whole, in order. */
  readonly rows: readonly ActiveUsersGroup[];
  /** SHA-256 over the rows, hex: the same whenever the report is computed at its position. */
  readonly rowsHash: string;
  readonly notifications: readonly ReportNotification[];
}

/**
 * Computes an active users report from the facts at its position (contract/reports.md#tasks,
 * contract/reports.md#active-users). The facts must have passed that position, and every target event up to it must be
 * decided.
 * @param facts the generation of the facts that answers
 */
export async function runActiveUsers(
  facts: ReadModel,
  report: ReportAt<"active_users">,
  limits: ReportLimits,
): Promise<ActiveUsersResult> {
  return reportTransaction(facts.db, limits, async (trx) => {
    const { schema } = facts;
    const counts = new Set(report.query.metrics.flatMap((metric) => countedFor[metric]));
    const rates = counts.has("revenue") ? await selectRates(trx, schema, report) : new Map();
    const today = localDate(report.timezone, report.now.getTime());
    const withheld = await selectWithheld(trx, schema, { ...report, today }, report.query);
    const reading = { schema, report, rates, withheld };
    const active = counts.has("active") ? await selectActive(trx, reading) : null;
    const paying = counts.has("paying") || counts.has("revenue") ? await selectGroups(trx, reading, "paying") : null;
    const held = heldGroups({ active, paying });
    const rows = activeUsersGroups(held, report.query.metrics);
    const shown = [...(held.active ?? []), ...(held.paying ?? [])];
    const missing = shown.some(({ lost }) => lost) ? await selectMissingRates(trx, reading) : [];
    return {
      rows,
      rowsHash: hashOfRows(rows),
      notifications: [
        ...(report.onlyChannels === null ? [] : [filteredByChannel]),
        ...reasonsIn(shown.reduce((bits, { loss }) => bits | loss, 0)).map((because) => withheldBecause[because]),
        ...(held.isExceeded ? [exceededActiveUsersLimit] : []),
        ...(missing.length === 0 ? [] : [exchangeRateMissing(missing)]),
      ],
    };
  });
}

async function selectActive(trx: Knex.Transaction, reading: Unbound): Promise<readonly FoundGroup[]> {
  if (!isOfWholeDays(reading.report.query.granularity)) return selectGroups(trx, reading, "active");
  const { report, schema } = reading;
  const counted = await selectCountedDays(trx, schema, report);
  const today = localDate(report.timezone, report.now.getTime());
  const { text, values } = activeDaysStatement(
    reading,
    counted.filter((date) => date < today),
  );
  const { rows } = await trx.raw<{ rows: FoundDays[] }>(text, values);
  return rows.map((row) => activeOnDays(row, reading.report));
}

async function selectGroups(
  trx: Knex.Transaction,
  reading: Unbound,
  counted: CountedUsers,
): Promise<readonly FoundGroup[]> {
  const { text, values } = activeUsersStatement(reading, counted);
  const { rows } = await trx.raw<{ rows: FoundGroup[] }>(text, values);
  return rows;
}

async function selectMissingRates(trx: Knex.Transaction, reading: Unbound): Promise<readonly MissingRate[]> {
  const { text, values } = activeUsersMissingRates(reading);
  const { rows } = await trx.raw<{ rows: MissingRate[] }>(text, values);
  return rows;
}

/** How active users reports are computed and explained. */
export const activeUsersComputation: ReportComputation<"active_users", ActiveUsersCell> = {
  run: runActiveUsers,
  explain: explainActiveUsers,
};
