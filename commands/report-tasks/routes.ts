import { reportTask } from "../../domain/report-tasks/report-task.ts";
import { reportTaskStream } from "../../domain/streams.ts";
import { visibleChannels } from "../../domain/tokens/visible-channels.ts";
import { uuidOf } from "../../domain/values/uuid.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { problems } from "../../infra/http/response/problem.ts";
import type { ReportEndpoint } from "../../infra/http/routing/report-endpoint.ts";
import { appRoute, type Route, refuse, reply } from "../../infra/http/routing/route.ts";
import { causeOf } from "../event-metadata.ts";
import { handleCommand } from "../handle-command.ts";
import { cancelReportDocs } from "./docs.ts";
import { type RequestableReport, type RequestReportDeps, requestReportRoute } from "./request-route.ts";

export interface ReportTaskDeps extends RequestReportDeps {
  readonly reports: readonly RequestableReport[];
}

/** The routes that request reports, and cancel them (contract/reports.md#tasks). */
export function reportTaskRoutes(deps: ReportTaskDeps): readonly Route[] {
  return deps.reports.flatMap((report) => [requestReportRoute(deps, report), cancelReportRoute(deps.log, report)]);
}

/**
 * The route that cancels a report (contract/reports.md#tasks): 204, also if it has already finished, which changes
 * nothing; 404 for one that the caller cannot read there.
 */
function cancelReportRoute(log: EventLog, report: ReportEndpoint): Route {
  const { kind, path, operation } = report;
  return appRoute({
    method: "delete",
    path: `${path}/:task_id`,
    docs: cancelReportDocs(report),
    operation,
    handle: async (cancellation) => {
      const { app, params, principal, commandId, receivedAt } = cancellation;
      const taskId = uuidOf(params.task_id ?? "");
      if (taskId === null) return refuse(problems.reportTaskNotFound);
      const access = { appId: app.appId, report: kind, onlyChannels: visibleChannels(principal) };
      const cancel = { type: "CancelReport", data: { taskId, endedAt: receivedAt, ...access } } as const;
      const stream = reportTaskStream(taskId);
      const handled = await handleCommand(log, reportTask, stream, commandId, cancel, causeOf(cancellation));
      if (handled.outcome === "rejected") return refuse(problems.reportTaskNotFound);
      return reply(204, null, { visibleIn: "control", position: handled.position });
    },
  });
}
