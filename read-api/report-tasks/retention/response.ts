import type { FromSchema } from "json-schema-to-ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import { intervalCount } from "../../../domain/reporting/retention/row.ts";
import type { RetentionCell } from "../../../projections/reports/retention/explain.ts";
import { csvReply } from "../csv-reply.ts";
import { streamedJson } from "../json-text.ts";
import { type ReportResponse, reportPageFields } from "../read-route.ts";
import { retentionDocs } from "./docs.ts";
import { findRetentionCell } from "./find-cell.ts";
import { retentionCsv, retentionPage } from "./formats.ts";

const query = { type: "object", properties: { ...reportPageFields, keyword: { type: "string" } } } as const;

/**
 * How a retention report is read (contract/reports.md#retention). Parameters that the GET omits default to those of the
 * POST (contract/reports.md#rows).
 */
export const retentionResponse: ReportResponse<"retention", FromSchema<typeof query>, RetentionCell> = {
  query,
  docs: retentionDocs,

  respond: async (task, results, query, { timezone }) => {
    const { taskId, rowCount, now } = task;
    const { granularity, from, groupBys, pagination, keyword = "" } = task.query;
    const intervals = intervalCount({ granularity, from, timezone, now });
    if (query.format === "csv") {
      return csvReply("retention", taskId, retentionCsv(groupBys, results.all(task), intervals));
    }
    const range = { skip: 0, size: reportLimits.defaultPage, keyword, ...pagination, ...query };
    const page = await results.page(taskId, rowCount, range);
    return streamedJson(retentionPage(task, page, { skip: range.skip, intervals }));
  },

  findCell: findRetentionCell,
};
