import type { FromSchema } from "json-schema-to-ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import { type Reply, writtenJson } from "../../../infra/http/routing/route.ts";
import type { SucceededTaskOf } from "../../../projections/report-tasks/queries.ts";
import type { StoredResults } from "../../../projections/reports/results/result-pages.ts";
import { csvFile } from "../csv-file.ts";
import type { ReadableReport } from "../read-route.ts";
import { actualsPageQuery } from "../schemas.ts";
import { answerWithoutRows } from "../task-response.ts";
import { actualsCsv } from "./csv.ts";
import { actualsAnswer, actualsRow } from "./response.ts";

/** The GET of this report (contract/reports.md#actuals). */
export const readableActuals: ReadableReport<"actuals", FromSchema<typeof actualsPageQuery>> = {
  report: "actuals",
  path: "/reports/api/v7/apps/:app_name/actuals/query/:task_id",
  operation: "report_actuals",
  query: actualsPageQuery,
  withoutRows: answerWithoutRows,
  answer: async (task, results, query) => {
    if (query.format === "csv") return csvReply(task, results);
    const { skip = 0, size = reportLimits.defaultPage, keyword = "", viewFormat = false } = query;
    const page = await results.page(task.taskId, task.rowCount, { skip, size, keyword });
    return writtenJson(actualsAnswer(task, page, { skip, viewFormat }));
  },
};

async function csvReply(task: SucceededTaskOf<"actuals">, results: StoredResults): Promise<Reply> {
  const whole = { skip: 0, size: reportLimits.rows, keyword: "" };
  const { rows } = await results.page(task.taskId, task.rowCount, whole);
  return {
    kind: "written",
    text: actualsCsv(task.query, rows.map(actualsRow)),
    ...csvFile("actuals", task.taskId),
  };
}
