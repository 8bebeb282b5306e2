import { intervalsOf } from "../../../domain/reporting/active-users/intervals.ts";
import { countedFor } from "../../../domain/reporting/active-users/metrics.ts";
import { maxResultGroups } from "../../../domain/reporting/limits.ts";
import { exceededGroupLimits } from "../../../domain/reporting/notifications.ts";
import type { ReadModel } from "../../projection.ts";
import { selectMaskedRanges } from "../masking/masked-facts.ts";
import { selectWithheldMonths } from "../masking/withheld-months.ts";
import { selectRates } from "../money/select-rates.ts";
import { selectAggregatedDays } from "../query/aggregated-days.ts";
import { selectRows } from "../query/bindings.ts";
import type { ReportAt } from "../query/query-context.ts";
import { type ReportLimits, reportTransaction } from "../query/report-transaction.ts";
import { type ComputedReport, computedReport, type ReportComputation } from "../results/report-computation.ts";
import { type ActiveUsersCell, explainActiveUsers } from "./explain.ts";
import { isOfWholeDays } from "./interval-number.ts";
import { type ActiveUsersGroup, activeUsersGroups } from "./result-groups.ts";
import { activeUsersStatement, type FoundGroup, selectActiveUsersMissingRates } from "./statement.ts";
import { activityMetrics } from "./user-counts.ts";

export type ActiveUsersResult = ComputedReport<ActiveUsersGroup>;

/**
 * Computes an active users report from the facts at its position (contract/reports.md#tasks,
 * contract/reports.md#active-users). The facts must have passed that position, and every target event up to it must be
 * decided.
 * @param facts the live generation of the facts
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
    const masked = await selectMaskedRanges(trx, schema, report, report.query);
    const { count } = intervalsOf(report.query, report.timezone);
    const maxGroups = maxResultGroups(count * report.query.metrics.length);
    const unbound = { schema, report, rates, masked };
    const readsDays = counts.has("active") && isOfWholeDays(report.query.granularity);
    const aggregatedDays = readsDays ? await selectAggregatedDays(trx, schema, report) : [];
    const found = await selectRows<FoundGroup>(trx, activeUsersStatement(unbound, aggregatedDays, maxGroups + 1));
    const held = found.slice(0, maxGroups);
    const maskingReasons = held.reduce((bits, group) => bits | group.maskingReasons, 0);
    const metrics = [...counts].map((counted) => activityMetrics[counted]);
    return computedReport(report, {
      rows: await activeUsersGroups(held, report),
      maskingReasons,
      withheld: await selectWithheldMonths(trx, unbound, [{ report, metrics }], maskingReasons),
      exceeded: held.length < found.length ? exceededGroupLimits : null,
      missingRates: held.some(({ isAnyUnconverted }) => isAnyUnconverted)
        ? await selectActiveUsersMissingRates(trx, unbound)
        : [],
    });
  });
}

/** How active users reports are computed and explained. */
export const activeUsersComputation: ReportComputation<"active_users", ActiveUsersCell> = {
  run: runActiveUsers,
  explain: explainActiveUsers,
};
