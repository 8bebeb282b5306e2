import type { FromSchema } from "json-schema-to-ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import type { ActiveUsersCell } from "../../../projections/reports/active-users/explain.ts";
import { csvReply } from "../csv-reply.ts";
import { streamedJson } from "../json-text.ts";
import { type ReportResponse, reportPageFields } from "../read-route.ts";
import { activeUsersDocs } from "./docs.ts";
import { findActiveUsersCell } from "./find-cell.ts";
import { activeUsersCsv, activeUsersPage } from "./formats.ts";

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

  findCell: findActiveUsersCell,
};
