import type { Route } from "../../infra/http/routing/route.ts";
import { cancelReportRoute } from "./cancel-route.ts";
import { type RequestableReport, type RequestReportDeps, requestReportRoute } from "./request-route.ts";

export interface ReportTaskDeps extends RequestReportDeps {
  readonly reports: readonly RequestableReport[];
}

/** The routes that request reports, and cancel them (contract/reports.md#tasks). */
export function reportTaskRoutes(deps: ReportTaskDeps): readonly Route[] {
  return deps.reports.flatMap((report) => [requestReportRoute(deps, report), cancelReportRoute(deps.log, report)]);
}
