import type { FromSchema } from "json-schema-to-ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import type { RevenueTotals } from "../../../domain/reporting/revenue/row.ts";
import { writtenJson } from "../../../infra/http/routing/route.ts";
import type { RevenueCell } from "../../../projections/reports/revenue/explain.ts";
import { csvReply } from "../csv-file.ts";
import type { ReportResponse } from "../read-route.ts";
import { pageQuery } from "../schemas.ts";
import { findRevenueCell } from "./cell-address.ts";
import { revenueCsv } from "./csv.ts";
import { revenueGroup, revenuePage } from "./response.ts";

/** How a revenue report is read (contract/reports.md#revenue). */
export const revenueResponse: ReportResponse<"revenue", FromSchema<typeof pageQuery>, RevenueCell> = {
  query: pageQuery,

  respond: async (task, results, { skip = 0, size = reportLimits.defaultPage, format }, { timezone }) => {
    if (format !== "csv") {
      const page = await results.page(task.taskId, task.rowCount, { skip, size, keyword: "" });
      return writtenJson(revenuePage(task, page, skip));
    }
    const { rows } = await results.all(task);
    const stored = await results.total(task.taskId);
    const total = stored === null ? null : (JSON.parse(stored) as RevenueTotals);
    return csvReply("revenue", task.taskId, revenueCsv(task, timezone, rows.map(revenueGroup), total));
  },

  findCell: findRevenueCell,
};
