import type { FromSchema } from "json-schema-to-ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import { writtenJson } from "../../../infra/http/routing/route.ts";
import { csvFile } from "../csv-file.ts";
import type { ReadableReport } from "../read-route.ts";
import { pageQuery } from "../schemas.ts";
import { answerWithoutRows } from "../task-response.ts";
import { activeUsersCsv } from "./csv.ts";
import { activeUsersAnswer, activeUsersGroup } from "./response.ts";

/** The GET of this report (contract/reports.md#active-users). */
export const readableActiveUsers: ReadableReport<"active_users", FromSchema<typeof pageQuery>> = {
  report: "active_users",
  path: "/reports/api/v4/apps/:app_name/active-users/query/:task_id",
  operation: "report_active_users",
  query: pageQuery,
  withoutRows: answerWithoutRows,
  answer: async (task, results, { skip = 0, size = reportLimits.defaultPage, format }, { timezone }) => {
    const { rows } = await results.page(task.taskId, task.rowCount, { skip: 0, size: task.rowCount, keyword: "" });
    if (format !== "csv") return writtenJson(activeUsersAnswer(task, rows, timezone, { skip, size }));
    return {
      kind: "streamed",
      pieces: activeUsersCsv(task.query, timezone, rows.map(activeUsersGroup)),
      ...csvFile("active-users", task.taskId),
    };
  },
};
