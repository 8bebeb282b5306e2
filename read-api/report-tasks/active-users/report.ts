import type { FromSchema } from "json-schema-to-ts";
import { intervalsOf } from "../../../domain/reporting/active-users/intervals.ts";
import { activeUsersValue, isActiveUsersMetric, noActivity } from "../../../domain/reporting/active-users/metrics.ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import type { ActiveUsersCell } from "../../../projections/reports/active-users/explain.ts";
import { inapplicablePart, missingPart, unknownMetric, unknownPart } from "../cell-address.ts";
import { csvReply } from "../csv-reply.ts";
import { streamedJson } from "../json-text.ts";
import { type ReportResponse, reportPageFields } from "../read-route.ts";
import { activeUsersDocs } from "./docs.ts";
import { activeUsersCsv, activeUsersGroup, activeUsersPage } from "./response.ts";

const query = { type: "object", properties: reportPageFields } as const;

/** How an active users report is read (contract/reports.md#active-users). Pages are pages of intervals. */
export const activeUsersResponse: ReportResponse<"active_users", FromSchema<typeof query>, ActiveUsersCell> = {
  query,
  docs: activeUsersDocs,

  respond: async (task, results, { skip = 0, size = reportLimits.defaultPage, format }, { timezone }) => {
    const chunks = results.all(task);
    if (format !== "csv") return streamedJson(activeUsersPage(task, chunks, timezone, { skip, size }));
    return csvReply("active-users", task.taskId, activeUsersCsv(task.query, timezone, chunks));
  },

  findCell: async ({ taskId, query }, { row, metric, date, interval: number }, results, { timezone }) => {
    if (!isActiveUsersMetric(metric) || !query.metrics.includes(metric)) return unknownMetric(metric, query.metrics);
    if (number !== undefined) return inapplicablePart("interval");
    if (date === undefined) return missingPart("date");
    const interval = intervalsOf(query, timezone).numberOf(date);
    if (interval === null) return unknownPart("date");
    const stored = await results.row(taskId, row);
    if (stored === null) return unknownPart("row");
    const { groupBys, intervals, values } = activeUsersGroup(stored);
    const active = values[intervals.indexOf(interval)];
    return {
      outcome: "found",
      cell: { groupBys, metric, interval },
      value:
        active === undefined ? activeUsersValue(metric, noActivity) : (active[query.metrics.indexOf(metric)] ?? null),
      isMasked: null,
      times: metric === "app_arpu" || metric === "app_arppu" ? 1 : null,
    };
  },
};
