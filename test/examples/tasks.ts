import type { ExportRequested } from "../../domain/raw-exports/events.ts";
import { reportIdOf } from "../../domain/raw-exports/report-id.ts";
import type { ReportKind, ReportRequested } from "../../domain/report-tasks/events.ts";
import { exampleUuid } from "./recorded-log.ts";

/** Id of the example report of a number. */
export const taskId = (number: number): string => exampleUuid("report", number);

const clicksOfMarch = {
  ...{ from: "2026-03-01", to: "2026-03-31", groupBys: [] },
  ...{ metrics: ["clicks"], filters: [], sorts: [] },
};

/** The clicks of March are requested on April 1: the report of a number. */
export function aReportRequest(
  number: number,
  changes: Partial<Omit<ReportRequested["data"], "report" | "query">> & { readonly report?: ReportKind } = {},
): ReportRequested {
  return {
    type: "ReportRequested",
    data: {
      ...{ taskId: taskId(number), appId: 1, report: "actuals", query: clicksOfMarch, onlyChannels: null },
      ...{ requestedAt: "2026-04-01T00:00:00.000Z", ...changes },
    } as ReportRequested["data"],
  };
}

/** `reportID` of the example export of a number. */
export const exportId = (number: number, appId = 1): number => reportIdOf({ appId, date: "2026-03-31", number });

/** The installs of March are requested on March 31: the export of a number among those of its app. */
export function anExportRequest(number: number, changes: Partial<ExportRequested["data"]> = {}): ExportRequested {
  const { appId = 1, reportId = exportId(number, appId) } = changes;
  return {
    type: "ExportRequested",
    data: {
      reportId,
      appId,
      commandId: exampleUuid("command", reportId),
      query: {
        ...{ type: "app", start: "2026-03-01 00:00:00", end: "2026-03-31 23:59:59" },
        ...{ events: ["app_install"], properties: ["event_id"], filters: [] },
      },
      requestedAt: "2026-03-31T03:00:00.000Z",
      ...changes,
    },
  };
}
