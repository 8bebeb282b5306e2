import { localDate } from "../../domain/local-time.ts";
import type { ActualsQuery } from "../../domain/report-tasks/events.ts";
import { reportTask } from "../../domain/report-tasks/report-task.ts";
import { checkActualsQuery, namesUploadedMetrics } from "../../domain/reporting/actuals-query.ts";
import type { UploadedMetric } from "../../domain/reporting/metric.ts";
import { reportTaskStream } from "../../domain/streams.ts";
import type { Principal } from "../../domain/tokens/principal.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { problems } from "../../infra/http/problem.ts";
import { ok, type Route, refuse, route } from "../../infra/http/route.ts";
import { derivedUuid } from "../derived-ids.ts";
import { handleCommand } from "../handle-command.ts";
import { causeOf } from "../metadata.ts";
import { refuseWith } from "../problems.ts";
import { archivedThen, isProblem, type Moment, type MomentOf, reportMoment } from "./as-of.ts";
import { cancelReportRoute } from "./cancel-route.ts";
import { mostReportsAtOnce } from "./report-runner.ts";
import { actualsBody } from "./schemas.ts";
import { visibleChannels } from "./visible-channels.ts";

/** A stored query shares an append of 1 MiB with its metadata. */
const largestBody = 256 * 1024;

export interface ReportTaskDeps {
  readonly log: EventLog;
  /** The metrics that an app has uploaded, up to a log position if one is given; archived ones too, as of now. */
  uploadedMetrics(appId: number, position?: bigint): Promise<readonly UploadedMetric[]>;
  readonly momentOf: MomentOf;
  /** How many tasks but one have not ended, at most `most`. */
  openBesides(taskId: string, most: number): Promise<number>;
}

/** The routes that request reports, and cancel them (A: Actuals report, D7.1). */
export function reportTaskRoutes(deps: ReportTaskDeps): readonly Route[] {
  const { log, momentOf, openBesides } = deps;
  return [
    route({
      method: "post",
      path: "/reports/api/v7/apps/:app_name/actuals/query",
      operation: "report_actuals",
      limit: "report-request",
      body: actualsBody,
      bodyLimit: largestBody,
      idempotent: true,
      handle: async (request) => {
        const { app, body, principal, commandId, receivedAt } = request;
        if (app === null) return refuse(problems.appNotFound);
        const moment = body.asOf === undefined ? null : await reportMoment(body.asOf, app, momentOf);
        if (moment !== null && isProblem(moment)) return refuse(moment);
        const now = moment?.instant.getTime() ?? Date.parse(receivedAt);
        const uploaded = namesUploadedMetrics(body) ? await metricsThen(deps, app.appId, moment) : [];
        const checked = checkActualsQuery(body, localDate(app.timezone, now), uploaded);
        if (checked.outcome === "invalid") {
          const errors = checked.faults.map(({ loc, ...fault }) => ({ loc: ["body", ...loc], ...fault }));
          return refuse({ ...problems.validationFailed, errors });
        }
        const taskId = derivedUuid(commandId, "reportTask");
        const query = moment === null ? checked.query : { ...checked.query, asOf: moment.event };
        const asked = requestedReport(taskId, app.appId, query, principal, receivedAt);
        const stream = reportTaskStream(taskId);
        const handled = await handleCommand(log, reportTask, stream, commandId, asked, causeOf(request));
        if (handled.outcome === "rejected") return refuseWith(handled.rejection);
        // What is requested is requested, also when nobody knows what else is.
        const others = await openBesides(taskId, mostReportsAtOnce).catch(() => 0);
        const answer = { task: { status: others < mostReportsAtOnce ? "RUNNING" : "PENDING", taskId } };
        const position = handled.position === null ? {} : { position: handled.position };
        return ok(answer, { visibleIn: "control", ...position });
      },
    }),
    cancelReportRoute(log),
  ];
}

/** The app's uploaded metrics, archived or not, as of a moment; null: now. */
async function metricsThen(
  { log, uploadedMetrics }: ReportTaskDeps,
  appId: number,
  moment: Moment | null,
): Promise<readonly UploadedMetric[]> {
  if (moment === null) return uploadedMetrics(appId);
  return archivedThen(log, appId, moment.position, await uploadedMetrics(appId, moment.position));
}

function requestedReport(
  taskId: string,
  appId: number,
  query: ActualsQuery,
  principal: Principal,
  requestedAt: string,
) {
  const onlyChannels = visibleChannels(principal);
  return {
    type: "RequestReport",
    data: { taskId, appId, report: "actuals", query, onlyChannels, requestedAt },
  } as const;
}
