import type { Knex } from "knex";
import { createKeyedRequests } from "../../../commands/idempotency/keyed-requests.ts";
import type { ResolveAsOf } from "../../../commands/report-tasks/report-as-of.ts";
import { reportRunner } from "../../../commands/report-tasks/report-runner.ts";
import { reportTaskRoutes } from "../../../commands/report-tasks/routes.ts";
import type { DomainEvent } from "../../../domain/event.ts";
import { rawExportMetadata } from "../../../domain/raw-exports/metadata.ts";
import { reportTaskStream } from "../../../domain/streams.ts";
import { addDays, localDate } from "../../../domain/values/local-time.ts";
import { reports as reportKinds, reportModules } from "../../../infra/composition/report-modules.ts";
import { createAsOfResolver, createPositionOf } from "../../../infra/event-log/as-of-positions.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { logClockReader } from "../../../projections/engine/checkpoints/log-clock.ts";
import { createEngineTables } from "../../../projections/engine/engine-tables.ts";
import { hasUndecidedTargets, uploadedCategories } from "../../../projections/facts/queries.ts";
import type { ReadModel } from "../../../projections/projection.ts";
import { reportTasksProjection } from "../../../projections/report-tasks/projection.ts";
import {
  canceledReportTasks,
  hadTurn,
  openReportTasks,
  type ReportTaskRow,
  reportTaskOf,
  succeededReportTasks,
} from "../../../projections/report-tasks/queries.ts";
import type { PositionOf } from "../../../projections/reports/query/query-context.ts";
import { computeAndStore, type ReportRun } from "../../../projections/reports/results/report-computation.ts";
import { storedResults } from "../../../projections/reports/results/result-pages.ts";
import { createReportStore, dropRequest, requestedRows } from "../../../projections/reports/results/stored-rows.ts";
import { reportMetadataRoutes } from "../../../read-api/report-metadata/routes.ts";
import { explainRoute } from "../../../read-api/report-tasks/explain-route.ts";
import { atAsOfPosition, reportRequestReader } from "../../../read-api/report-tasks/find-task.ts";
import { reportTaskReadRoutes } from "../../../read-api/report-tasks/read-route.ts";
import { awakeReactor, testRuntime } from "../../commands/reactors/test-runtime.ts";
import { shop } from "../../examples/app.ts";
import { type Facts, writeFacts } from "../../projections/reports/facts.ts";
import { principals, startApplication } from "../application.ts";
import type { Answer, Client } from "../raw-client.ts";

/** Tokens beside the examples. */
const tokens = {
  inHouse: principals.in_house,
  partner: principals.media_partner,
  otherPartner: { ...principals.media_partner, tokenId: "other-partner", channels: ["kakao"] },
  ofOtherApp: principals.other_owner,
};

/** The facts of reports, written by the test. */
interface WrittenFacts {
  writeFacts(facts: Facts): Promise<void>;
  /** The app gets a target event without a decision at the position; null: it has none. */
  openTarget(position: bigint | null): Promise<void>;
  /** Blocks every statement of a report until the returned function is called. */
  lockFacts(): Promise<() => Promise<void>>;
  /** Number of statements that wait for the lock. */
  waitingStatements(): Promise<number>;
  /** Hides an uploaded metric from new reports (contract/administration.md#archived-metrics). */
  archiveMetric(category: string): Promise<void>;
}

/** Reports from request to response, over facts that the test has written, with a runner that the test starts. */
export interface Reports extends WrittenFacts {
  readonly call: Client;
  readonly log: EventLog;
  readonly tasks: ReadModel;
  readonly failures: unknown[];
  /** What the runner, and the claims of keys, depend on; each test changes what it is about. */
  readonly circumstances: {
    factsHavePassed: (position: bigint) => boolean;
    /** Null when the log does not have the event of a task's `asOf`. */
    atPosition: (task: ReportTaskRow) => Promise<ReportTaskRow | null>;
    beforeRun: (task: ReportTaskRow) => Promise<void>;
    now: () => Date;
    resolveAsOf: ResolveAsOf;
    /** The position of the event of an `asOf`; null when the log does not have it. */
    positionOf: PositionOf;
    /** Maximum time of a statement of a report. */
    timeoutMs: number;
  };
  request(query: object, token?: string): Promise<Answer>;
  /** The id of a task that was just requested. */
  requested(query: object, token?: string): Promise<string>;
  cancel(taskId: string, token?: string): Promise<Answer>;
  /** Explains a cell. */
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

const facts = "facts";

const actualsPath = `/reports/api/v7/apps/${shop.name}/actuals/query`;

/** @param path of the kind of report that is tested */
export async function startReports(path = actualsPath): Promise<Reports> {
  const runtime = testRuntime(() => circumstances.now());
  const application = await startApplication({
    principals: tokens,
    projections: [reportTasksProjection],
    routes: ({ log, readModel }) => {
      const { db } = readModel();
      const results = storedResults(db);
      const uploadedMetrics = (appId: number, position?: bigint) =>
        uploadedCategories({ db, schema: facts }, appId, position);
      const readTask = async (appId: number, taskId: string) => {
        const task = await reportTaskOf(readModel(), appId, taskId);
        return task && atAsOfPosition(task, (place) => circumstances.positionOf(place));
      };
      const reportRequestOf = reportRequestReader(log);
      const reportTasks = { reports: reportKinds, reportTaskOf: readTask, reportRequestOf, results };
      return [
        ...reportTaskRoutes({
          log,
          reports: reportKinds,
          uploadedMetrics,
          waitForPosition: async () => true,
          hadTurn: (position) => hadTurn(readModel(), position),
          resolveAsOf: (asOf) => circumstances.resolveAsOf(asOf),
        }),
        ...reportMetadataRoutes({
          uploadedMetrics,
          described: [...reportKinds.flatMap(({ metadata }) => metadata ?? []), rawExportMetadata],
        }),
        ...reportTaskReadRoutes(reportTasks),
        explainRoute({
          ...reportTasks,
          facts: async () => ({ db, schema: facts }),
          get timeoutMs() {
            return circumstances.timeoutMs;
          },
        }),
      ];
    },
    deps: (log) => ({
      keyed: createKeyedRequests({ log, now: () => circumstances.now() }),
      failed: (failure) => runtime.failures.push([failure, null]),
    }),
  });
  const { log, call, project } = application;
  const tasks = application.readModel();
  const { db } = tasks;
  await createEngineTables(db);
  await createReportStore(db);

  const circumstances: Reports["circumstances"] = {
    factsHavePassed: () => true,
    atPosition: async (task) => task,
    beforeRun: async () => undefined,
    resolveAsOf: createAsOfResolver({ clock: logClockReader(db), log }),
    positionOf: createPositionOf(log),
    now: () => new Date(),
    timeoutMs: 60_000,
  };
  const runner = reportRunner<ReportTaskRow>({
    log,
    openTasks: async (max) => project().then(() => openReportTasks(tasks, max)),
    lostTasks: async (max) => succeededReportTasks(tasks, await requestedRows(db, max)),
    atPosition: (task) => circumstances.atPosition(task),
    dropRequest: (taskId) => dropRequest(db, taskId),
    canceledAmong: async (taskIds) => project().then(() => canceledReportTasks(tasks, taskIds)),
    factsHavePassed: async (position) => circumstances.factsHavePassed(position),
    hasUndecided: (appId, position) => hasUndecidedTargets({ db, schema: facts }, appId, position),
    run: async (task, { signal }): Promise<ReportRun> => {
      await circumstances.beforeRun(task);
      return computeAndStore({
        computation: reportModules[task.report].computation,
        facts: { db, schema: facts },
        db,
        task: { ...task, currency: shop.currency, timezone: shop.timezone },
        guard: async () => undefined,
        signal,
        timeoutMs: circumstances.timeoutMs,
      });
    },
    now: () => circumstances.now(),
  });
  const reports: Reports = {
    call,
    tasks,
    log,
    failures: runtime.failures,
    circumstances,
    ...writtenFacts(db),
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
    events: async (taskId) =>
      (await application.events(reportTaskStream(taskId))).map(({ type, data }) => ({ type, data })),
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
    close: application.close,
  };
  return reports;
}

function writtenFacts(db: Knex): WrittenFacts {
  return {
    writeFacts: (written) => writeFacts(db, facts, written),
    openTarget: async (position) => {
      await db.raw(`delete from ${facts}.open_targets`);
      if (position === null) return;
      await db.raw(
        `insert into ${facts}.open_targets (app_id, event_id, position)
         values (?, gen_random_uuid(), ?)`,
        [shop.appId, position.toString()],
      );
    },
    lockFacts: async () => {
      const locked = await db.transaction();
      await locked.raw(`lock table ${facts}.touchpoints, ${facts}.app_events in access exclusive mode`);
      return async () => void (await locked.rollback());
    },
    waitingStatements: async () => {
      const { rows } = await db.raw<{ rows: unknown[] }>(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows.length;
    },
    archiveMetric: async (category) => {
      await db.raw(`update ${facts}.uploaded_categories set archived = true where event_category = ?`, [category]);
    },
  };
}
