import type { FromSchema } from "json-schema-to-ts";
import type { ActualsQuery } from "../../../domain/reporting/actuals/query.ts";
import { requestedMetric } from "../../../domain/reporting/catalogue/catalogue.ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import { writtenJson } from "../../../infra/http/routing/route.ts";
import type { Cell } from "../../../projections/reports/explain/facts-of-cell.ts";
import type { StoredRow } from "../../../projections/reports/results/stored-rows.ts";
import { csvLines } from "../../csv.ts";
import { inapplicablePart, unknownMetric, unknownPart } from "../cell-address.ts";
import { csvKeys, csvReply } from "../csv-reply.ts";
import { type ReportResponse, reportPageFields } from "../read-route.ts";
import { lowerBound } from "../result-rows.ts";
import { actualsDocs } from "./docs.ts";
import { actualsPage, actualsRow } from "./response.ts";

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

  findCell: async ({ taskId, query }, { row, metric, date, interval }, results) => {
    const column = query.metrics.indexOf(metric);
    if (column < 0) return unknownMetric(metric, query.metrics);
    if (date !== undefined) return inapplicablePart("date");
    if (interval !== undefined) return inapplicablePart("interval");
    const stored = await results.row(taskId, row);
    if (stored === null) return unknownPart("row");
    const { groupBys, values, masked } = actualsRow(stored);
    const requested = requestedMetric(metric);
    return {
      outcome: "found",
      cell: { groupBys, metric },
      value: values[column] ?? null,
      isMasked: masked[column] ?? false,
      times: requested.kind === "ratio" ? requested.times : null,
    };
  },
};

/**
 * A whole result as CSV, a line for each row. Missing values are empty.
 * @param viewFormat whether masked values are marked as lower bounds
 */
async function* actualsCsv(
  { groupBys, metrics }: ActualsQuery,
  chunks: AsyncIterable<readonly StoredRow[]>,
  viewFormat: boolean,
): AsyncGenerator<string> {
  yield csvLines([[...groupBys, ...metrics]]);
  for await (const rows of chunks) {
    const lines = rows.map(actualsRow).map(({ groupBys: keys, values, masked }) => {
      const shown = values.map((value, index) => (viewFormat && masked[index] ? lowerBound(value) : value));
      // Many readers skip an empty line: the only cell is quoted.
      const numbers = shown.join(",") || (keys.length === 0 ? '""' : "");
      return `${csvKeys(keys)}${numbers}\r\n`;
    });
    yield lines.join("");
  }
}
