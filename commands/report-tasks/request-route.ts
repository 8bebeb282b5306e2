import type { JSONSchema } from "json-schema-to-ts";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { faultsAt } from "../../domain/fault.ts";
import type { AskedReport, ReportKind, ReportQueries } from "../../domain/report-tasks/events.ts";
import { reportTask } from "../../domain/report-tasks/report-task.ts";
import type { CheckedQuery } from "../../domain/reporting/validation-faults.ts";
import { reportTaskStream } from "../../domain/streams.ts";
import type { Operation } from "../../domain/tokens/permissions.ts";
import { type LocalDate, localDate } from "../../domain/values/local-time.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { problems, validationFailed } from "../../infra/http/response/problem.ts";
import { ok, type Route, type RouteRequest, refuse, route } from "../../infra/http/routing/route.ts";
import { derivedUuid } from "../derived-ids.ts";
import { handleCommand } from "../handle-command.ts";
import { causeOf } from "../metadata.ts";
import { refuseWith } from "../problems.ts";
import { isProblem, type Moment, type MomentOf, reportMoment } from "./as-of.ts";
import { mostReportsAtOnce } from "./report-runner.ts";
import { visibleChannels } from "./visible-channels.ts";

/** A stored query shares an append of 1 MiB with its metadata. */
const largestBody = 256 * 1024;

/** What a query is checked against. */
export interface AskedWhen {
  readonly app: RegisteredApp;
  /** Current date of the app's time zone, at `moment` if there is one. */
  readonly today: LocalDate;
  /** What `asOf` names; null: now. */
  readonly moment: Moment | null;
}

/** A log position, or an instant. */
export interface AskedAsOf {
  readonly asOf?: string | number;
}

/** How one kind of report is asked for. */
export interface RequestableReport<Kind extends ReportKind, Body extends AskedAsOf> {
  readonly report: Kind;
  readonly path: string;
  readonly operation: Operation;
  /** The schema of `Body`. */
  readonly body: JSONSchema;
  /** What a schema cannot check. */
  check(body: Body, when: AskedWhen): Promise<CheckedQuery<ReportQueries[Kind]>>;
  /** What the POST answers. */
  answer(task: { readonly status: "PENDING" | "RUNNING"; readonly taskId: string }): unknown;
}

export interface RequestReportDeps {
  readonly log: EventLog;
  readonly momentOf: MomentOf;
  /** How many tasks but one have not ended, at most `most`. */
  openBesides(taskId: string, most: number): Promise<number>;
}

/** The route that requests a report (contract/reports.md#tasks). */
export function requestReportRoute<Kind extends ReportKind, Body extends AskedAsOf>(
  { log, momentOf, openBesides }: RequestReportDeps,
  { report, path, operation, body: schema, check, answer }: RequestableReport<Kind, Body>,
): Route {
  const handle = async (request: RouteRequest<Body, undefined>) => {
    const { app, body, principal, commandId, receivedAt } = request;
    if (app === null) return refuse(problems.appNotFound);
    const moment = body.asOf === undefined ? null : await reportMoment(body.asOf, app, momentOf);
    if (moment !== null && isProblem(moment)) return refuse(moment);
    const now = moment?.instant.toISOString() ?? receivedAt;
    const checked = await check(body, { app, today: localDate(app.timezone, Date.parse(now)), moment });
    if (checked.outcome === "invalid") return refuse(validationFailed(faultsAt(["body"], checked.faults)));
    const taskId = derivedUuid(commandId, "reportTask");
    const query = moment === null ? checked.query : { ...checked.query, asOf: moment.event };
    const asked = { report, query } as unknown as AskedReport;
    const onlyChannels = visibleChannels(principal);
    const data = { taskId, appId: app.appId, ...asked, onlyChannels, requestedAt: receivedAt };
    const command = { type: "RequestReport", data: moment === null ? data : { ...data, now } } as const;
    const stream = reportTaskStream(taskId);
    const handled = await handleCommand(log, reportTask, stream, commandId, command, causeOf(request));
    if (handled.outcome === "rejected") return refuseWith(handled.rejection);
    // What is requested is requested, also when nobody knows what else is.
    const others = await openBesides(taskId, mostReportsAtOnce).catch(() => 0);
    const position = handled.position === null ? {} : { position: handled.position };
    const status = others < mostReportsAtOnce ? "RUNNING" : "PENDING";
    return ok(answer({ status, taskId }), { visibleIn: "control", ...position });
  };
  return route({
    method: "post",
    path,
    operation,
    limit: "report-request",
    body: schema,
    bodyLimit: largestBody,
    idempotent: true,
    handle: (request) => handle(request as unknown as RouteRequest<Body, undefined>),
  });
}
