import type { FromSchema } from "json-schema-to-ts";
import type { RegisteredApp } from "../../../domain/apps/registered-app.ts";
import { beginningOf, unitsBetween } from "../../../domain/reporting/granularity.ts";
import { reportLimits } from "../../../domain/reporting/limits.ts";
import { intervalCount } from "../../../domain/reporting/retention/group.ts";
import type { SucceededTaskOf } from "../../../projections/report-tasks/queries.ts";
import type { StoredResults } from "../../../projections/reports/results/result-pages.ts";
import type { RetentionCell } from "../../../projections/reports/retention/explain.ts";
import {
  type CellAddress,
  type CellResolution,
  inapplicablePart,
  missingPart,
  unknownMetric,
  unknownPart,
} from "../cell-address.ts";
import { csvReply } from "../csv-reply.ts";
import { streamedJson } from "../json-text.ts";
import { type ReportResponse, reportPageFields } from "../read-route.ts";
import { retentionDocs } from "./docs.ts";
import { retentionCsv, retentionPage, retentionRow } from "./response.ts";

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

/**
 * A cell of a retention report: `startUsers`, or `value` in an interval; of the sub-row of a date, or without a date of
 * the group's own line.
 */
async function findRetentionCell(
  { taskId, query, now }: SucceededTaskOf<"retention">,
  { row, metric, date, interval: numbered }: CellAddress,
  results: StoredResults,
  { timezone }: RegisteredApp,
): Promise<CellResolution<RetentionCell>> {
  const interval = numbered ?? null;
  if (metric !== "startUsers" && metric !== "value") return unknownMetric(metric, ["startUsers", "value"]);
  if (metric === "startUsers" && interval !== null) return inapplicablePart("interval");
  if (metric === "value" && interval === null) return missingPart("interval");
  const { granularity, from } = query;
  if (interval !== null && interval >= intervalCount({ granularity, from, timezone, now }))
    return unknownPart("interval");
  const stored = await results.row(taskId, row);
  if (stored === null) return unknownPart("row");
  const { groupBys, rows, total } = retentionRow(stored);
  const line = date === undefined ? total : rows.find((subRow) => subRow.date === date);
  if (line === undefined) return unknownPart("date");
  const first = beginningOf(from, timezone);
  const block = date === undefined ? null : unitsBetween(granularity, first, { date, instant: Date.parse(date) });
  // Undefined: the interval has not begun for the line.
  const value = interval === null ? line.startUsers : line.values[interval];
  return {
    outcome: "found",
    cell: { groupBys, block, interval },
    value: value === undefined || value === null ? null : String(value),
    isMasked: value === null,
    times: null,
  };
}
