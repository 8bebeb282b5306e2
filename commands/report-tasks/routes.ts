import type { Route } from "../../infra/http/route.ts";
import { type ActualsDeps, requestableActuals } from "./actuals.ts";
import { cancelReportRoute } from "./cancel-route.ts";
import { type RequestReportDeps, requestReportRoute } from "./request-route.ts";

export interface ReportTaskDeps extends RequestReportDeps, ActualsDeps {}

/** The routes that request reports, and cancel them (A: reports, D7.1). */
export function reportTaskRoutes(deps: ReportTaskDeps): readonly Route[] {
  const actuals = requestableActuals(deps);
  return [requestReportRoute(deps, actuals), cancelReportRoute(deps.log, actuals)];
}
