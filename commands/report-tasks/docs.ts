import { addDays, type LocalDate } from "../../domain/values/local-time.ts";
import { object, oneOf, uuid } from "../../infra/http/openapi/route-docs.ts";
import { reportTaskExample } from "../../infra/http/openapi/shared-schemas.ts";
import { problems } from "../../infra/http/response/problem.ts";
import type { ReportEndpoint, TaskMember } from "../../infra/http/routing/report-endpoint.ts";

const { taskId } = reportTaskExample;
const responseOf = {
  task: {
    schema: object({ task: object({ status: oneOf("PENDING", "RUNNING"), taskId: uuid }) }),
    example: { task: { status: "RUNNING", taskId } },
  },
  data: { schema: object({ data: object({ taskId: uuid }) }), example: { data: { taskId } } },
} satisfies { readonly [member in TaskMember]: object };

/**
 * The documentation of the call that requests a report.
 * @param example of its body, without the dates
 */
export function requestReportDocs({ title, contract, taskMember }: ReportEndpoint, example: object) {
  return {
    summary: `Request ${title}`,
    description:
      "Creates a task that computes the report in the background, as of the log position of this request. Poll the " +
      "result with the returned `taskId`.",
    contract,
    request: (yesterday: LocalDate) => ({ from: addDays(yesterday, -6), to: yesterday, filters: [], ...example }),
    responses: { 200: responseOf[taskMember.post] },
    // `asOf` is resolved in the log, and its position in the read models.
    problems: [problems.readModelBehind],
  };
}

/** The documentation of the call that cancels a report. */
export function cancelReportDocs({ title }: ReportEndpoint) {
  return {
    summary: `Cancel ${title}`,
    description: "Cancels a task that waits or runs. A task that has ended is not changed.",
    contract: "contract/reports.md#tasks",
    responses: { 204: null },
    problems: [problems.reportTaskNotFound],
  };
}
