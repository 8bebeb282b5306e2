import type { Route } from "../../infra/http/routing/route.ts";
import { readableActiveUsers } from "./active-users/route.ts";
import { readableActuals } from "./actuals/route.ts";
import { type ReportTaskReadOptions, readReportRoute } from "./read-route.ts";
import { readableRetention } from "./retention/route.ts";
import { readableRevenue } from "./revenue/route.ts";

/** The routes that read reports (contract/reports.md#tasks). */
export function reportTaskReadRoutes(options: ReportTaskReadOptions): readonly Route[] {
  return [
    readReportRoute(options, readableActuals),
    readReportRoute(options, readableActiveUsers),
    readReportRoute(options, readableRetention),
    readReportRoute(options, readableRevenue),
  ];
}
