import type { ReportKind } from "../../domain/report-tasks/events.ts";
import type { Route } from "../../infra/http/routing/route.ts";
import { requestableActiveUsers } from "./active-users.ts";
import { type ActualsDeps, requestableActuals } from "./actuals.ts";
import { cancelReportRoute } from "./cancel-route.ts";
import { type AskedAsOf, type RequestableReport, type RequestReportDeps, requestReportRoute } from "./request-route.ts";
import { requestableRetention } from "./retention.ts";
import { requestableRevenue } from "./revenue.ts";

export interface ReportTaskDeps extends RequestReportDeps, ActualsDeps {}

/** The routes that request reports, and cancel them (contract/reports.md#tasks). */
export function reportTaskRoutes(deps: ReportTaskDeps): readonly Route[] {
  return [
    ...routesOf(deps, requestableActuals(deps)),
    ...routesOf(deps, requestableActiveUsers),
    ...routesOf(deps, requestableRetention),
    ...routesOf(deps, requestableRevenue),
  ];
}

function routesOf<Kind extends ReportKind, Body extends AskedAsOf>(
  deps: RequestReportDeps,
  report: RequestableReport<Kind, Body>,
): readonly Route[] {
  return [requestReportRoute(deps, report), cancelReportRoute(deps.log, report)];
}
