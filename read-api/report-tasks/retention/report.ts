import type { FromSchema } from "json-schema-to-ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import { intervalsOf } from "../../../domain/reporting/retention/catalogue.ts";
import type { RetentionCell } from "../../../projections/reports/retention/explain.ts";
import { csvReply } from "../csv-file.ts";
import type { ReportResponse } from "../read-route.ts";
import { pageFields } from "../schemas.ts";
import { findRetentionCell } from "./cell-address.ts";
import { retentionCsv } from "./csv.ts";
import { retentionPage, retentionRow } from "./response.ts";

const query = { type: "object", properties: { ...pageFields, keyword: { type: "string" } } } as const;

/**
 * How a retention report is read (contract/reports.md#retention). Parameters that the GET omits default to those of the
 * POST (contract/reports.md#rows).
 */
export const retentionResponse: ReportResponse<"retention", FromSchema<typeof query>, RetentionCell> = {
  query,

  respond: async (task, results, query, { timezone }) => {
    const { taskId, rowCount, now } = task;
    const { granularity, from, groupBys, pagination, keyword = "" } = task.query;
    const intervals = intervalsOf({ granularity, from, timezone, now });
    if (query.format === "csv") {
      const { rows } = await results.all(task);
      return csvReply("retention", taskId, retentionCsv(groupBys, rows.map(retentionRow), intervals));
    }
    const range = { skip: 0, size: reportLimits.defaultPage, keyword, ...pagination, ...query };
    const page = await results.page(taskId, rowCount, range);
    return {
      kind: "streamed",
      pieces: retentionPage(task, page, { skip: range.skip, intervals }),
      mediaType: "application/json; charset=utf-8",
    };
  },

  findCell: findRetentionCell,
};
