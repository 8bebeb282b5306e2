import { activeUsersRequest } from "../../commands/report-tasks/active-users.ts";
import { actualsRequest } from "../../commands/report-tasks/actuals.ts";
import type { RequestableReport } from "../../commands/report-tasks/request-route.ts";
import { retentionRequest } from "../../commands/report-tasks/retention.ts";
import { revenueRequest } from "../../commands/report-tasks/revenue.ts";
import type { ReportKind } from "../../domain/report-tasks/events.ts";
import { activeUsersMetadata } from "../../domain/reporting/active-users/metadata.ts";
import { retentionMetadata } from "../../domain/reporting/retention/metadata.ts";
import { revenueMetadata } from "../../domain/reporting/revenue/metadata.ts";
import { activeUsersComputation } from "../../projections/reports/active-users/run.ts";
import { actualsComputation } from "../../projections/reports/actuals/run.ts";
import { retentionComputation } from "../../projections/reports/retention/run.ts";
import { revenueComputation } from "../../projections/reports/revenue/run.ts";
import { activeUsersResponse } from "../../read-api/report-tasks/active-users/response.ts";
import { actualsResponse } from "../../read-api/report-tasks/actuals/response.ts";
import type { ReadableReport } from "../../read-api/report-tasks/read-route.ts";
import { retentionResponse } from "../../read-api/report-tasks/retention/response.ts";
import { revenueResponse } from "../../read-api/report-tasks/revenue/response.ts";
import { activeUsersTable, actualsTable, type CsvTable, retentionTable, revenueTable } from "../cli/report-tables.ts";

/** A kind of report: its endpoint and its part of each layer, in one value. */
export interface ReportModule extends RequestableReport, ReadableReport {
  /** How the command line prints the rows of the CSV. */
  readonly table: CsvTable;
}

/** Every kind of report. A new kind is added here, and nowhere else. */
export const reportModules: { readonly [Kind in ReportKind]: ReportModule & { readonly kind: Kind } } = {
  actuals: {
    kind: "actuals",
    title: "an actuals report",
    contract: "contract/reports.md#actuals",
    path: "/reports/api/v7/apps/:app_name/actuals/query",
    operation: "report_actuals",
    taskMember: { post: "task", get: "task" },
    request: actualsRequest,
    computation: actualsComputation,
    response: actualsResponse,
    metadata: null,
    table: actualsTable,
  },
  active_users: {
    kind: "active_users",
    title: "an active users report",
    contract: "contract/reports.md#active-users",
    path: "/reports/api/v4/apps/:app_name/active-users/query",
    operation: "report_active_users",
    taskMember: { post: "task", get: "task" },
    request: activeUsersRequest,
    computation: activeUsersComputation,
    response: activeUsersResponse,
    metadata: activeUsersMetadata,
    table: activeUsersTable,
  },
  retention: {
    kind: "retention",
    title: "a retention report",
    contract: "contract/reports.md#retention",
    path: "/reports/api/v5/apps/:app_name/retention/query",
    operation: "report_cohorts",
    taskMember: { post: "data", get: "task" },
    request: retentionRequest,
    computation: retentionComputation,
    response: retentionResponse,
    metadata: retentionMetadata,
    table: retentionTable,
  },
  revenue: {
    kind: "revenue",
    title: "a revenue report",
    contract: "contract/reports.md#revenue",
    path: "/reports/api/v3/apps/:app_name/revenue/query",
    operation: "report_cohorts",
    taskMember: { post: "data", get: "data" },
    request: revenueRequest,
    computation: revenueComputation,
    response: revenueResponse,
    metadata: revenueMetadata,
    table: revenueTable,
  },
};

export const reports: readonly ReportModule[] = Object.values(reportModules);
