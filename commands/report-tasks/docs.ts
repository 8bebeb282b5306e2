import { object, oneOf, uuid } from "../../infra/http/openapi/route-docs.ts";
import { reportTaskExample } from "../../infra/http/openapi/shared-schemas.ts";
import { problems } from "../../infra/http/response/problem.ts";
import type { TaskMember } from "../../infra/http/routing/report-endpoint.ts";

/** Documentation of a kind of report: its name in plain words, and an example of a request. */
export interface ReportRequestDocs {
  readonly name: string;
  readonly contract: string;
  readonly request: object;
}

const { taskId } = reportTaskExample;
const responseOf = {
  task: {
    schema: object({ task: object({ status: oneOf("PENDING", "RUNNING"), taskId: uuid }) }),
    example: { task: { status: "RUNNING", taskId } },
  },
  data: { schema: object({ data: object({ taskId: uuid }) }), example: { data: { taskId } } },
} satisfies { readonly [member in TaskMember]: object };

export function requestReportDocs({ name, contract, request }: ReportRequestDocs, member: TaskMember) {
  return {
    summary: `Request ${name}`,
    description:
      "Creates a task that computes the report in the background, as of the log position of this request. Poll the " +
      "result with the returned `taskId`.",
    contract,
    request,
    responses: { 200: responseOf[member] },
    // `asOf` is resolved in the log, and its position in the read models.
    problems: [problems.readModelBehind],
  };
}

export function cancelReportDocs({ name }: ReportRequestDocs) {
  return {
    summary: `Cancel ${name}`,
    description: "Cancels a task that waits or runs. A task that has ended is not changed.",
    contract: "contract/reports.md#tasks",
    responses: { 204: null },
    problems: [problems.reportTaskNotFound],
  };
}

const range = { from: "2026-01-05", to: "2026-01-11", filters: [] };

export const actualsDocs: ReportRequestDocs = {
  name: "an actuals report",
  contract: "contract/reports.md#actuals",
  request: { ...range, groupBys: ["campaign"], metrics: ["clicks"], sorts: [] },
};

export const activeUsersDocs: ReportRequestDocs = {
  name: "an active users report",
  contract: "contract/reports.md#active-users",
  request: { ...range, granularity: "day", metrics: ["app_au"], groupBy: { fields: ["channel"] } },
};

export const retentionDocs: ReportRequestDocs = {
  name: "a retention report",
  contract: "contract/reports.md#retention",
  request: {
    ...range,
    granularity: "day",
    startEvent: ["app_installs"],
    returnEvents: ["app_order_complete"],
    measurementOption: "general_retention",
    groupBy: { fields: ["channel"] },
    sorts: [],
  },
};

export const revenueDocs: ReportRequestDocs = {
  name: "a revenue report",
  contract: "contract/reports.md#revenue",
  request: {
    ...range,
    groupBy: { fields: ["channel"] },
    granularity: "day",
    startEvents: ["app_install"],
    returnEvents: ["app_order_complete"],
    metric: "app_revenue",
    aggregationType: "cumulative",
    sorts: [],
  },
};
