import type { JSONSchema } from "json-schema-to-ts";
import {
  boolean,
  type DocumentedResponse,
  instant,
  listOf,
  mapOf,
  nullable,
  number,
  object,
  position,
  text,
  uuid,
} from "../../infra/http/openapi/route-docs.ts";
import { notifications, reportTask, reportTaskExample } from "../../infra/http/openapi/shared-schemas.ts";
import { problems } from "../../infra/http/response/problem.ts";
import type { ReportEndpoint, TaskMember } from "../../infra/http/routing/report-endpoint.ts";
import { listResponse } from "../listing.ts";
import { problemsOfRows } from "./await-rows.ts";

/** The JSON of a report of one kind that has succeeded. */
export interface ReportResponseDocs extends DocumentedResponse {
  readonly schema: JSONSchema;
  /** The lines of the same report as CSV. */
  readonly csvExample: readonly string[];
}

/** The JSON of a task without rows. */
const withoutRowsOf: { readonly [member in TaskMember]: JSONSchema } = {
  task: object({ task: reportTask }, { notifications }),
  data: object({ data: reportTask }, { notification: notifications }),
};

/** The documentation of the call that reads a report. */
export function readReportDocs({ title, contract, taskMember }: ReportEndpoint, succeeded: ReportResponseDocs) {
  return {
    summary: `Read ${title}`,
    description:
      "Returns the status of the task. While it is `PENDING` or `RUNNING`, poll again. With `SUCCESS` the response " +
      "has a page of the rows, or all of them as CSV with `format=csv`. With `FAILURE` it has a notification with " +
      "the reason.",
    contract,
    responses: {
      200: [
        { schema: { anyOf: [succeeded.schema, withoutRowsOf[taskMember.get]] }, example: succeeded.example },
        {
          mediaType: "text/csv",
          example: succeeded.csvExample.map((line) => `${line}\r\n`).join(""),
          headers: ["Content-Disposition"] as const,
        },
      ],
    },
    problems: [problems.reportTaskNotFound, ...problemsOfRows],
  };
}

/** Parts that responses of several kinds share. */
export const pageExample = { pagination: { hasNext: false, totalCount: 1 }, notifications: [] };
export const groupBys = listOf(text);
export const maskable = object({ value: nullable(number), isMasked: boolean });

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
