import type { FromSchema } from "json-schema-to-ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import type { RevenueTotals } from "../../../domain/reporting/revenue/row.ts";
import type { RevenueCell } from "../../../projections/reports/revenue/explain.ts";
import { csvReply } from "../csv-reply.ts";
import { streamedJson } from "../json-text.ts";
import { type ReportResponse, reportPageFields } from "../read-route.ts";
import { revenueDocs } from "./docs.ts";
import { findRevenueCell } from "./find-cell.ts";
import { revenueCsv, revenuePage } from "./formats.ts";

const query = { type: "object", properties: { ...reportPageFields, viewFormat: { type: "boolean" } } } as const;

/** How a revenue report is read (contract/reports.md#revenue). */
export const revenueResponse: ReportResponse<"revenue", FromSchema<typeof query>, RevenueCell> = {
  query,
  docs: revenueDocs,

  respond: async (task, results, { skip = 0, size = reportLimits.defaultPage, viewFormat, format }, { timezone }) => {
    if (format !== "csv") {
      const page = await results.page(task.taskId, task.rowCount, { skip, size, keyword: "" });
      return streamedJson(revenuePage(task, page, skip));
    }
    const stored = await results.total(task.taskId);
    const total = stored === null ? null : (JSON.parse(stored) as RevenueTotals);
    const shown = { total, viewFormat: viewFormat === true };
    return csvReply("revenue", task.taskId, revenueCsv(task, timezone, results.all(task), shown));
  },

  findCell: findRevenueCell,
};
