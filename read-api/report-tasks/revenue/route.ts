import type { FromSchema } from "json-schema-to-ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import type { RevenueTotals } from "../../../domain/reporting/revenue/row.ts";
import { writtenJson } from "../../../infra/http/routing/route.ts";
import { csvFile } from "../csv-file.ts";
import type { ReadableReport } from "../read-route.ts";
import { pageQuery } from "../schemas.ts";
import { revenueCsv } from "./csv.ts";
import { revenueAnswer, revenueAnswerWithoutRows, revenueGroup } from "./response.ts";

/** The GET of this report (contract/reports.md#revenue). */
export const readableRevenue: ReadableReport<"revenue", FromSchema<typeof pageQuery>> = {
  report: "revenue",
  path: "/reports/api/v3/apps/:app_name/revenue/query/:task_id",
  operation: "report_cohorts",
  query: pageQuery,
  withoutRows: revenueAnswerWithoutRows,
  answer: async (task, results, { skip = 0, size = reportLimits.defaultPage, format }, { timezone }) => {
    if (format !== "csv") {
      return writtenJson(
        revenueAnswer(task, await results.page(task.taskId, task.rowCount, { skip, size, keyword: "" }), skip),
      );
    }
    const { rows } = await results.page(task.taskId, task.rowCount, { skip: 0, size: task.rowCount, keyword: "" });
    const total = await results.total(task.taskId);
    return {
      kind: "streamed",
      pieces: revenueCsv(
        task,
        timezone,
        rows.map(revenueGroup),
        total === null ? null : (JSON.parse(total) as RevenueTotals),
      ),
      ...csvFile("revenue", task.taskId),
    };
  },
};
