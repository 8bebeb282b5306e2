import type { JSONSchema } from "json-schema-to-ts";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { faultsAt } from "../../domain/fault.ts";
import type { ReportKind, ReportQueries, RequestedReport } from "../../domain/report-tasks/events.ts";
import { reportTask } from "../../domain/report-tasks/report-task.ts";
import type { UploadedMetric } from "../../domain/reporting/catalogue/metric.ts";
import type { ValidatedQuery } from "../../domain/reporting/query-validation.ts";
import { reportTaskStream } from "../../domain/streams.ts";
import { visibleChannels } from "../../domain/tokens/visible-channels.ts";
import { type LocalDate, localDate } from "../../domain/values/local-time.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { validationFailed } from "../../infra/http/response/problem.ts";
import { maxWaitMs, type WaitForPosition } from "../../infra/http/routing/read-your-writes.ts";
import type { ReportEndpoint } from "../../infra/http/routing/report-endpoint.ts";
import { appRoute, ok, type Route, type RouteRequest, refuse } from "../../infra/http/routing/route.ts";
import { derivedUuid } from "../derived-ids.ts";
import { causeOf } from "../event-metadata.ts";
import { handleCommand } from "../handle-command.ts";
import { refuseWith } from "../rejection-statuses.ts";
import { requestReportDocs } from "./docs.ts";
import { archivedAt, isProblem, type ResolveAsOf, type ResolvedAsOf, resolveReportAsOf } from "./report-as-of.ts";

/** A stored query shares an append of 1 MiB with its metadata. */
const maxBodyBytes = 256 * 1024;

/** Fields that determine which columns the rows can be sorted by. */
const sortedBy: readonly string[] = ["groupBys", "groupBy", "metrics", "metric"];

/** What a query is validated against. */
export interface ValidationContext {
  /** Date of the first request in the app's time zone; with `asOf`, the date then. */
  readonly today: LocalDate;
  /** The metrics that the app has uploaded by now, or by `asOf`. */
  uploadedMetrics(): Promise<readonly UploadedMetric[]>;
}

/** How one kind of report is requested: the part of its module that validates a request. */
export interface ReportRequest<Kind extends ReportKind = ReportKind, Body = unknown> {
  /** The schema of `Body`. */
  readonly body: JSONSchema;
  /** A valid body without its dates and, if there are none, its filters, for the documentation. */
  readonly example: object;
  /** Validates what the schema cannot. */
  validate(body: Body, context: ValidationContext): Promise<ValidatedQuery<ReportQueries[Kind]>>;
}

/** A kind of report that can be requested. */
export interface RequestableReport extends ReportEndpoint {
  readonly request: ReportRequest;
}

export interface RequestReportDeps {
  readonly log: EventLog;
  readonly resolveAsOf: ResolveAsOf;
  readonly waitForPosition: WaitForPosition;
  /** Whether the task that was requested at a log position had its turn then; final once `control` has passed it. */
  hadTurn(position: bigint): Promise<boolean>;
  /** The metrics that an app has uploaded (up to a log position), including those that are archived now. */
  uploadedMetrics(appId: number, position?: bigint): Promise<readonly UploadedMetric[]>;
}

/** A log position, or an instant. */
interface AsOfBody {
  readonly asOf?: string | number;
}

/** The route that requests a report (contract/reports.md#tasks). */
export function requestReportRoute(deps: RequestReportDeps, report: RequestableReport): Route {
  const { log, resolveAsOf } = deps;
  const { kind, path, operation, taskMember } = report;
  const { body: schema, example, validate } = report.request;
  const handle = async (request: RouteRequest<AsOfBody, undefined, RegisteredApp>) => {
    const { app, body, principal, commandId, receivedAt, firstReceivedAt } = request;
    const validatedAt = (at: ResolvedAsOf | null) =>
      validate(body, {
        today: localDate(app.timezone, at?.instant.getTime() ?? Date.parse(firstReceivedAt)),
        uploadedMetrics: () => uploadedMetricsAt(deps, app, at),
      });
    const asOf = body.asOf === undefined ? null : await resolveReportAsOf(body.asOf, app, resolveAsOf);
    if (asOf !== null && isProblem(asOf)) {
      if (asOf.errors === undefined) return refuse(asOf);
      // All faults are reported at once: the others are those that the body has now.
      const other = await validatedAt(null);
      const faults = other.outcome === "invalid" ? faultsAt(["body"], other.faults) : [];
      return refuse(validationFailed([...asOf.errors, ...faults]));
    }
    const validation = await validatedAt(asOf);
    if (validation.outcome === "invalid") return refuse(validationFailed(faultsAt(["body"], validation.faults)));
    const taskId = derivedUuid(commandId, "reportTask");
    const query = asOf === null ? validation.query : { ...validation.query, asOf: asOf.event };
    const requested = { report: kind, query } as RequestedReport;
    const onlyChannels = visibleChannels(principal);
    const data = { taskId, appId: app.appId, ...requested, onlyChannels, requestedAt: receivedAt };
    const command = {
      type: "RequestReport",
      data: asOf === null ? data : { ...data, now: asOf.instant.toISOString() },
    } as const;
    const stream = reportTaskStream(taskId);
    const handled = await handleCommand(log, reportTask, stream, commandId, command, causeOf(request));
    if (handled.outcome === "rejected") return refuseWith(handled.rejection);
    // The report is requested even if it cannot be read whether it has its turn.
    const hasTurn = handled.position !== null && (await hasTurnAt(deps, handled.position.commit).catch(() => false));
    const status = hasTurn ? "RUNNING" : "PENDING";
    const response = taskMember.post === "task" ? { task: { status, taskId } } : { data: { taskId } };
    return ok(response, { visibleIn: "control", position: handled.position });
  };
  return appRoute({
    method: "post",
    path,
    docs: requestReportDocs(report, example),
    operation,
    limit: "report-request",
    body: schema,
    rules: async (body: unknown, { app, receivedAt, replaced }) => {
      // Invalid requests are rejected before the date of `asOf` is read from the log.
      if ((body as AsOfBody).asOf !== undefined) return [];
      const today = localDate(app.timezone, Date.parse(receivedAt));
      const uploadedMetrics = () => uploadedMetricsAt(deps, app, null);
      const validation = await validate(body, { today, uploadedMetrics });
      if (validation.outcome === "valid") return [];
      const sortable = !replaced.some((field) => sortedBy.includes(field));
      return validation.faults.filter(({ path }) => sortable || path[0] !== "sorts");
    },
    bodyLimit: maxBodyBytes,
    idempotent: true,
    handle: (request) => handle(request as unknown as RouteRequest<AsOfBody, undefined, RegisteredApp>),
  });
}

async function hasTurnAt({ waitForPosition, hadTurn }: RequestReportDeps, position: bigint): Promise<boolean> {
  return (await waitForPosition("control", position, maxWaitMs)) && hadTurn(position);
}

async function uploadedMetricsAt(
  { log, uploadedMetrics }: RequestReportDeps,
  { appId }: RegisteredApp,
  asOf: ResolvedAsOf | null,
): Promise<readonly UploadedMetric[]> {
  if (asOf === null) return uploadedMetrics(appId);
  return archivedAt(log, appId, asOf.position, await uploadedMetrics(appId, asOf.position));
}
