import type { FromSchema } from "json-schema-to-ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import { writtenJson } from "../../../infra/http/routing/route.ts";
import type { Cell } from "../../../projections/reports/explain/facts-of-cell.ts";
import { csvReply } from "../csv-reply.ts";
import { type ReportResponse, reportPageFields } from "../read-route.ts";
import { actualsDocs } from "./docs.ts";
import { findActualsCell } from "./find-cell.ts";
import { actualsCsv, actualsPage } from "./formats.ts";

const query = {
  type: "object",
  properties: { ...reportPageFields, keyword: { type: "string" }, viewFormat: { type: "boolean" } },
} as const;

/** How an actuals report is read (contract/reports.md#actuals). */
export const actualsResponse: ReportResponse<"actuals", FromSchema<typeof query>, Cell> = {
  query,
  docs: actualsDocs,

  respond: async (task, results, { skip = 0, size = reportLimits.defaultPage, keyword = "", viewFormat, format }) => {
    if (format !== "csv") {
      const page = await results.page(task.taskId, task.rowCount, { skip, size, keyword });
      return writtenJson(actualsPage(task, page, { skip, viewFormat: viewFormat === true }));
    }
    return csvReply("actuals", task.taskId, actualsCsv(task.query, results.all(task), viewFormat === true));
  },

  findCell: findActualsCell,
};
