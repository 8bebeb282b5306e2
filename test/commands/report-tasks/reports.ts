import type { MomentOf } from "../../../commands/report-tasks/as-of.ts";
import { reportRunner } from "../../../commands/report-tasks/report-runner.ts";
import { reportTaskRoutes } from "../../../commands/report-tasks/routes.ts";
import { registeredApp } from "../../../domain/apps/registered-app.ts";
import type { DomainEvent, LogPosition } from "../../../domain/event.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { Principal } from "../../../domain/tokens/principal.ts";
import { addDays, localDate } from "../../../domain/values/local-time.ts";
import { reports as reportKinds, reportModules } from "../../../infra/composition/report-modules.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { createMomentOf } from "../../../infra/event-log/log-moments.ts";
import { mountRoutes } from "../../../infra/http/routing/mount-routes.ts";
import { addErrorHandlers } from "../../../infra/http/server/error-handler.ts";
import { createHttpApp } from "../../../infra/http/server/http-app.ts";
import { listen } from "../../../infra/http/server/http-server.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { logClockReader } from "../../../projections/engine/checkpoints/log-clock.ts";
import { createEngineTables } from "../../../projections/engine/engine-tables.ts";
import { hasUndecidedTargets, uploadedCategories } from "../../../projections/facts/queries.ts";
import { reportTasksProjection } from "../../../projections/report-tasks/projection.ts";
import {
  canceledReportTasks,
  countOpenBesides,
  openReportTasks,
  type ReportTaskRow,
  reportTaskOf,
  succeededReportTasks,
} from "../../../projections/report-tasks/queries.ts";
import { computeAndStore, type ReportRun } from "../../../projections/reports/results/report-computation.ts";
import { storedResults } from "../../../projections/reports/results/result-pages.ts";
import { createReportStore, requestedRows } from "../../../projections/reports/results/stored-rows.ts";
import { reportMetadataRoutes } from "../../../read-api/report-metadata/routes.ts";
import { explainRoute } from "../../../read-api/report-tasks/explain-route.ts";
import { reportTaskReadRoutes } from "../../../read-api/report-tasks/read-route.ts";
import { shop } from "../../examples/app.ts";
import { type Answer, type Client, clientOf } from "../../support/client.ts";
import { startTestLog } from "../../support/event-store.ts";
import { testPostgres } from "../../support/stores.ts";
import { awakeReactor, testRuntime } from "../reactors/test-runtime.ts";
import { type WrittenFacts, writtenFacts } from "./written-facts.ts";

export type Principals = { readonly [token: string]: Principal };

const ofToken = { kind: "token", tokenKind: "api", appId: shop.appId, channels: [] } as const;
const principals: Principals = {
  owner: { ...ofToken, tokenId: "owner", role: "owner" },
  operator: { kind: "operator" },
  inHouse: { ...ofToken, tokenId: "in-house", role: "in_house_marketer" },
  agency: { ...ofToken, tokenId: "agency", role: "agency" },
  partner: { ...ofToken, tokenId: "partner", role: "media_partner", channels: ["partner", "kakao"] },
  otherPartner: { ...ofToken, tokenId: "other-partner", role: "media_partner", channels: ["kakao"] },
  link: { ...ofToken, tokenId: "link", tokenKind: "link", role: null },
  ofOtherApp: { ...ofToken, tokenId: "other", appId: 2, role: "owner" },
};

/** Reports from request to answer, over facts that the test has written, with a runner that the test lets run. */
export interface Reports extends WrittenFacts {
  readonly call: Client;
  readonly log: EventLog;
  readonly failures: unknown[];
  /** Changes what the runner is told, to test how it takes it. */
  readonly circumstances: {
    factsHavePassed: (position: bigint) => boolean;
    beforeRun: (task: ReportTaskRow) => Promise<void>;
    now: () => Date;
    momentOf: MomentOf;
    /** The longest that a statement of a report may take. */
    timeoutMs: number;
  };
  request(query: object, token?: string): Promise<Answer>;
  /** The id of a task that was just requested. */
  requested(query: object, token?: string): Promise<string>;
  cancel(taskId: string, token?: string): Promise<Answer>;
  /** What is behind a cell. */
  explain(taskId: string, cell: object, token?: string): Promise<Answer>;
  read(taskId: string, query?: string, token?: string): Promise<Answer>;
  events(taskId: string): Promise<readonly DomainEvent[]>;
  /** Lets a runner run until `condition` holds, or the time limit is over; then kills it. */
  runUntil(condition: () => Promise<boolean>): Promise<void>;
  /** Requests a report and lets it run to its end. */
  ended(query: object, token?: string): Promise<string>;
  loseRows(): Promise<void>;
  close(): Promise<void>;
}

/** The dates of the last week, in the shop's zone, today last. */
export const lastWeek: readonly string[] = Array.from({ length: 7 }, (_, index) =>
  addDays(localDate(shop.timezone, Date.now()), index - 6),
);

export const clicksByCampaign = {
  from: lastWeek[0],
  to: lastWeek[6],
  groupBys: ["campaign"],
  metrics: ["clicks"],
  filters: [],
  sorts: [],
};

const control = "control";
const facts = "facts";

const actualsPath = `/reports/api/v7/apps/${shop.name}/actuals/query`;

/** @param path where the kind of reports is requested that the test is about */
export async function startReports(path = actualsPath): Promise<Reports> {
  const { log, close: closeLog } = await startTestLog();
  const db = openDatabase(await testPostgres(), { max: 6, applicationName: "test" });
  await db.raw(`create schema ${control}`);
  await db.transaction((trx) => reportTasksProjection.createTables(trx, control));
  await createEngineTables(db);
  await createReportStore(db);
  await createReportStore(db);

  let projected: LogPosition | "start" = "start";
  let projecting: Promise<unknown> = Promise.resolve();
  const project = (): Promise<void> => {
    const next = projecting.then(async () => {
      for await (const event of log.readAll(projected, 10_000)) {
        if (reportTasksProjection.handles.includes(event.type)) {
          await db.transaction((trx) => reportTasksProjection.apply(trx, control, [event]));
        }
        projected = event.position;
      }
    });
    projecting = next.catch(() => undefined);
    return next;
  };
  const tasks = { db, schema: control };
  const app = createHttpApp();
  const results = storedResults(db);
  const found = registeredApp(shop, "2026-01-01T00:00:00.000Z");
  const readTask = (appId: number, taskId: string) => reportTaskOf(tasks, appId, taskId);
  const uploadedMetrics = (appId: number, position?: bigint) =>
    uploadedCategories({ db, schema: facts }, appId, position);
  const deps = {
    authenticate: async (header: string | undefined) => principals[header?.replace("Bearer ", "") ?? ""] ?? "unknown",
    findApp: async (name: string) => (name === shop.name ? found : null),
    findAppById: async () => found,
    operatorConfigured: true,
    passed: async () => project().then(() => true),
    failed: (failure: unknown) => runtime.failures.push([failure, null]),
  };
  const routes = [
    ...reportTaskRoutes({
      log,
      reports: reportKinds,
      uploadedMetrics,
      openBesides: (taskId, most) => countOpenBesides(tasks, taskId, most),
      momentOf: (asOf) => circumstances.momentOf(asOf),
    }),
    ...reportMetadataRoutes({ uploadedMetrics }),
    ...reportTaskReadRoutes({ reports: reportKinds, reportTaskOf: readTask, results }),
    explainRoute({
      reports: reportKinds,
      reportTaskOf: readTask,
      results,
      facts: async () => ({ db, schema: facts }),
      get timeoutMs() {
        return circumstances.timeoutMs;
      },
    }),
  ];
  mountRoutes(app, routes, deps);
  addErrorHandlers(app, deps);
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const call = clientOf(server.port);

  const circumstances: Reports["circumstances"] = {
    factsHavePassed: () => true,
    beforeRun: async () => undefined,
    momentOf: createMomentOf({ clock: logClockReader(db), log }),
    now: () => new Date(),
    timeoutMs: 60_000,
  };
  const runtime = testRuntime(() => circumstances.now());
  const runner = reportRunner<ReportTaskRow>({
    log,
    openTasks: async (max) => project().then(() => openReportTasks(tasks, max)),
    lostTasks: async (max) => succeededReportTasks(tasks, await requestedRows(db, max)),
    canceledAmong: async (taskIds) => project().then(() => canceledReportTasks(tasks, taskIds)),
    factsHavePassed: async (position) => circumstances.factsHavePassed(position),
    hasUndecided: (appId, position) => hasUndecidedTargets({ db, schema: facts }, appId, position),
    run: async (task, { signal }): Promise<ReportRun> => {
      await circumstances.beforeRun(task);
      return computeAndStore(
        reportModules[task.report].computation,
        { db, schema: facts },
        db,
        { ...task, currency: shop.currency, timezone: shop.timezone },
        async () => undefined,
        signal,
        circumstances.timeoutMs,
      );
    },
    now: () => circumstances.now(),
  });
  const events = async (taskId: string): Promise<readonly RecordedEvent[]> => {
    const recorded: RecordedEvent[] = [];
    for await (const event of log.read(`reportTask-${taskId}`)) recorded.push(event);
    return recorded;
  };
  const reports: Reports = {
    call,
    log,
    failures: runtime.failures,
    circumstances,
    ...writtenFacts(db, facts),
    request: (query, token = "owner") => call("POST", path, { token, body: query }),
    requested: async (query, token) => {
      const answer = await reports.request(query, token);
      if (answer.status !== 200) throw new Error(answer.text);
      return (answer.json as { task: { taskId: string } }).task.taskId;
    },
    read: (taskId, query = "", token = "owner") =>
      call("GET", `${path}/${taskId}${query}`, { token, headers: { "X-Min-Position": "0" } }),
    explain: (taskId, cell, token = "owner") =>
      call("POST", `/admin/v1/apps/${shop.name}/report-tasks/${taskId}/explain`, { token, body: cell }),
    cancel: (taskId, token = "owner") => call("DELETE", `${path}/${taskId}`, { token }),
    events: async (taskId) => (await events(taskId)).map(({ type, data }) => ({ type, data })),
    runUntil: (condition) => runtime.runUntil([awakeReactor(runner)], condition),
    ended: async (query, token) => {
      const taskId = await reports.requested(query, token);
      await reports.runUntil(async () => {
        await project();
        const task = await reportTaskOf(tasks, shop.appId, taskId);
        return task?.stage === "succeeded" || task?.stage === "failed" || task?.stage === "canceled";
      });
      return taskId;
    },
    loseRows: async () => {
      await db.raw("drop schema work cascade");
      await createReportStore(db);
    },
    close: async () => {
      await server.close(AbortSignal.timeout(1_000));
      await closeLog();
      await db.destroy();
    },
  };
  return reports;
}
