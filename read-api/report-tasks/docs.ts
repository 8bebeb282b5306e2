import type { JSONSchema } from "json-schema-to-ts";
import {
  boolean,
  type DocumentedResponse,
  instant,
  integer,
  listOf,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  position,
  text,
  uuid,
} from "../../infra/http/openapi/route-docs.ts";
import { notifications, pagination, reportTask, reportTaskExample } from "../../infra/http/openapi/shared-schemas.ts";
import { problems } from "../../infra/http/response/problem.ts";
import { listResponse } from "../listing.ts";

/** Documentation of reading a kind of report: its name in plain words, and the JSON of a succeeded report. */
export interface ReportResponseDocs {
  readonly name: string;
  readonly contract: string;
  readonly succeeded: DocumentedResponse & { readonly schema: JSONSchema };
  /** The body of a report without rows. */
  readonly pending: JSONSchema;
}

const ofTask = object({ task: reportTask }, { notifications });

export function readReportDocs({ name, contract, succeeded: { schema, example }, pending }: ReportResponseDocs) {
  return {
    summary: `Read ${name}`,
    description:
      "Returns the status of the task. While it is `PENDING` or `RUNNING`, poll again. With `SUCCESS` the response " +
      "has a page of the rows, or all of them as CSV with `format=csv`. With `FAILURE` it has a notification with " +
      "the reason.",
    contract,
    responses: {
      200: [
        { schema: { anyOf: [schema, pending] }, example },
        {
          mediaType: "text/csv",
          example: "campaign,clicks\r\njanuary,12\r\n",
          headers: ["Content-Disposition"] as const,
        },
      ],
    },
    problems: [problems.reportTaskNotFound, { status: 503, code: "REPORT_ROWS_BEING_COMPUTED" }],
  };
}

const pageExample = { pagination: { hasNext: false, totalCount: 1 }, notifications: [] };
const groupBys = listOf(text);

export const actualsDocs: ReportResponseDocs = {
  name: "an actuals report",
  contract: "contract/reports.md#actuals",
  pending: ofTask,
  succeeded: {
    schema: object({
      task: reportTask,
      actuals: object({
        data: object({
          rows: listOf(
            object({
              values: mapOf(object({ value: nullable(number), isMasked: boolean, viewFormat: nullable(text) })),
              groupBys,
            }),
          ),
        }),
        metadata: object({ rowCount: integer }),
      }),
      pagination,
      notifications,
    }),
    example: {
      task: reportTaskExample,
      actuals: {
        data: {
          rows: [{ values: { clicks: { value: 12, isMasked: false, viewFormat: null } }, groupBys: ["january"] }],
        },
        metadata: { rowCount: 1 },
      },
      ...pageExample,
    },
  },
};

export const activeUsersDocs: ReportResponseDocs = {
  name: "an active users report",
  contract: "contract/reports.md#active-users",
  pending: ofTask,
  succeeded: {
    schema: object({
      task: reportTask,
      activeUsers: object({
        data: listOf(object({ rows: listOf(object({ date: text, values: mapOf(nullable(number)) })), groupBys })),
      }),
      pagination,
      notifications,
    }),
    example: {
      task: reportTaskExample,
      activeUsers: { data: [{ rows: [{ date: "2026-01-05", values: { app_au: 12 } }], groupBys: ["newsletter"] }] },
      ...pageExample,
    },
  },
};

const maskable = object({ value: nullable(number), isMasked: boolean });
const retained = {
  startUsers: maskable,
  values: listOf(object({ value: nullable(number), rate: nullable(number), isMasked: boolean })),
};
const lineExample = {
  startUsers: { value: 10, isMasked: false },
  values: [{ value: 4, rate: 0.4, isMasked: false }],
};

export const retentionDocs: ReportResponseDocs = {
  name: "a retention report",
  contract: "contract/reports.md#retention",
  pending: ofTask,
  succeeded: {
    schema: object({
      task: reportTask,
      retention: object({
        data: object({
          rows: listOf(
            object({ groupBys, total: object(retained), rows: listOf(object({ date: text, ...retained })) }),
          ),
        }),
        metadata: object({ rowCount: integer, granularity: text, intervals: integer }),
      }),
      pagination,
      notifications,
    }),
    example: {
      task: reportTaskExample,
      retention: {
        data: {
          rows: [{ groupBys: ["newsletter"], total: lineExample, rows: [{ date: "2026-01-05", ...lineExample }] }],
        },
        metadata: { rowCount: 1, granularity: "day", intervals: 1 },
      },
      ...pageExample,
    },
  },
};

const totals = { totalCost: maskable, totalRevenue: maskable, totalUniqueUsers: maskable };
const amount = { value: 12, isMasked: false };
const totalsExample = { totalCost: amount, totalRevenue: amount, totalUniqueUsers: amount };

export const revenueDocs: ReportResponseDocs = {
  name: "a revenue report",
  contract: "contract/reports.md#revenue",
  pending: object({ data: reportTask }, { notification: notifications }),
  succeeded: {
    schema: object({
      data: object({
        stats: object({
          rows: listOf(
            object({
              rows: listOf(object({ date: text, total: object(totals), values: listOf(maskable) })),
              total: object({ ...totals, values: listOf(maskable) }),
              metadata: groupBys,
            }),
          ),
        }),
        status: oneOf("SUCCESS"),
        taskId: uuid,
        endedAt: nullable(text),
        asOfPosition: position,
        hasNext: boolean,
        metadata: object({ totalCount: integer }),
      }),
      notification: notifications,
    }),
    example: {
      data: {
        stats: {
          rows: [
            {
              rows: [{ date: "2026-01-05", total: totalsExample, values: [amount] }],
              total: { ...totalsExample, values: [amount] },
              metadata: ["newsletter"],
            },
          ],
        },
        ...reportTaskExample,
        hasNext: false,
        metadata: { totalCount: 1 },
      },
      notification: [],
    },
  },
};

export const listReportTasksDocs = {
  summary: "List the report tasks of an app",
  description: "Returns the tasks, newest first, filtered by kind and status; also those whose results have expired.",
  contract: "contract/reports.md#listing-tasks",
  responses: {
    200: listResponse(
      "reportTasks",
      object({
        ...{ status: text, taskId: uuid, endedAt: nullable(instant), asOfPosition: position },
        ...{ kind: text, requestedAt: instant, requestedBy: nullable(text), query: mapOf({}) },
      }),
      { ...reportTaskExample, kind: "actuals", requestedAt: "2026-01-05T00:00:00.000Z", requestedBy: null, query: {} },
    ),
  },
};
