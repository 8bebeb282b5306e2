import type { FromSchema } from "json-schema-to-ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import { intervalsOf } from "../../../domain/reporting/retention/catalogue.ts";
import { csvFile } from "../csv-file.ts";
import type { ReadableReport } from "../read-route.ts";
import { searchedPageQuery } from "../schemas.ts";
import { answerWithoutRows } from "../task-response.ts";
import { retentionCsv } from "./csv.ts";
import { retentionAnswer, retentionRow } from "./response.ts";

/**
 * The GET of a retention report (contract/reports.md#retention). What the GET does not say is as the POST said it
 * (contract/reports.md#rows).
 */
export const readableRetention: ReadableReport<"retention", FromSchema<typeof searchedPageQuery>> = {
  report: "retention",
  path: "/reports/api/v5/apps/:app_name/retention/query/:task_id",
  operation: "report_cohorts",
  query: searchedPageQuery,
  withoutRows: answerWithoutRows,
  answer: async (task, results, query, { timezone }) => {
    const { taskId, rowCount, now } = task;
    const { granularity, from, groupBys, pagination, keyword = "" } = task.query;
    const intervals = intervalsOf({ granularity, from, timezone, now });
    if (query.format === "csv") {
      const { rows } = await results.page(taskId, rowCount, { skip: 0, size: rowCount, keyword: "" });
      return {
        kind: "streamed",
        pieces: retentionCsv(groupBys, rows.map(retentionRow), intervals),
        ...csvFile("retention", taskId),
      };
    }
    const asked = { skip: 0, size: reportLimits.defaultPage, keyword, ...pagination, ...query };
    const page = await results.page(taskId, rowCount, asked);
    return {
      kind: "streamed",
      pieces: retentionAnswer(task, page, { skip: asked.skip, intervals }),
      mediaType: "application/json; charset=utf-8",
    };
  },
};
