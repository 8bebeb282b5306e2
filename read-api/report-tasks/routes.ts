import type { Route } from "../../infra/http/route.ts";
import { readableActiveUsers } from "./active-users.ts";
import { readableActuals } from "./actuals.ts";
import { type ReportTaskReadOptions, readReportRoute } from "./read-route.ts";
import { readableRetention } from "./retention.ts";
import { readableRevenue } from "./revenue.ts";

/** The routes that read reports (contract/reports.md#tasks). */
export function reportTaskReadRoutes(options: ReportTaskReadOptions): readonly Route[] {
  return [
    readReportRoute(options, readableActuals),
    readReportRoute(options, readableActiveUsers),
    readReportRoute(options, readableRetention),
    readReportRoute(options, readableRevenue),
  ];
}
