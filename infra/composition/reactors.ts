import { randomUUID } from "node:crypto";
import type { Knex } from "knex";
import { Gauge, type Registry } from "prom-client";
import { type AttributionReactorDeps, attributionReactor } from "../../commands/attribution/attribution-reactor.ts";
import { revisionReactor } from "../../commands/attribution/revision-reactor.ts";
import { exporter } from "../../commands/raw-exports/exporter.ts";
import type { FactsProgress } from "../../commands/reactors/runnable-work.ts";
import { anyReactor, type ReactorRuntime, runReactors } from "../../commands/reactors/runner.ts";
import { reportRunner } from "../../commands/report-tasks/report-runner.ts";
import { type UploadPipelineDeps, uploadCompletion, uploadIngest } from "../../commands/uploads/upload-reactors.ts";
import { createUploadValidator } from "../../commands/uploads/validate-upload.ts";
import { positionAtCommit } from "../../domain/event.ts";
import type { PropertyKey } from "../../domain/raw-exports/properties.ts";
import { resultRetentionMs } from "../../domain/report-tasks/result-retention.ts";
import { storedChannels } from "../../projections/apps/queries.ts";
import { requireEpoch, runAsLeader } from "../../projections/engine/leader/leader-election.ts";
import { whileLogResponds } from "../../projections/engine/leader/while-log-responds.ts";
import { fillVectors, hasOpenVectors } from "../../projections/facts/app-events/install-vectors.ts";
import { rulesInForce } from "../../projections/facts/attribution/attribution-rules.ts";
import { eachCandidates } from "../../projections/facts/attribution/candidates.ts";
import { openRevisions } from "../../projections/facts/attribution/revisions.ts";
import type { OpenTarget } from "../../projections/facts/attribution/target-events.ts";
import { aggregateDay } from "../../projections/facts/daily-aggregates/aggregate-day.ts";
import { daysToAggregate } from "../../projections/facts/daily-aggregates/changed-days.ts";
import { hasUndecidedTargets, openTargets } from "../../projections/facts/queries.ts";
import { openExports, type RawExportRow } from "../../projections/raw-exports/queries.ts";
import { createReadModels } from "../../projections/read-models.ts";
import {
  canceledReportTasks,
  openReportTasks,
  type ReportTaskRow,
  reportTasksEndedBy,
  succeededReportTasks,
} from "../../projections/report-tasks/queries.ts";
import { withAsOfPosition } from "../../projections/reports/query/query-context.ts";
import { computeAndStore } from "../../projections/reports/results/report-computation.ts";
import {
  createReportStore,
  dropRequest,
  dropResults,
  requestedRows,
  storedTasks,
} from "../../projections/reports/results/stored-rows.ts";
import { openUploads, type UploadRow } from "../../projections/uploads/queries.ts";
import { measureCsvFile } from "../../read-api/raw-exports/csv-file.ts";
import { createPositionOf } from "../event-log/as-of-positions.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { dailyAggregates } from "../jobs/daily-aggregates.ts";
import { dropExpiredResults } from "../jobs/drop-expired-results.ts";
import { installVectors } from "../jobs/install-vectors.ts";
import type { Log } from "../process/log.ts";
import { createSchedule } from "../process/schedule.ts";
import type { Databases } from "./connection-pools.ts";
import { rowsOfExport } from "./exports.ts";
import { type OpenReadModels, projections } from "./read-models.ts";
import { reportModules } from "./report-modules.ts";
import { openWebhookReactors, type WebhookSettings } from "./webhooks.ts";

/** The reactors, one of each in a deployment. */
export async function startReactors(
  log: EventLog,
  databases: Databases,
  readModels: OpenReadModels,
  webhooks: WebhookSettings,
  registry: Registry,
  processLog: Log,
): Promise<{ stop(): Promise<void> }> {
  await createReportStore(databases.reporting);
  const waitForFacts = (position: bigint, timeoutMs: number) =>
    readModels.projector.waitForPosition("facts", positionAtCommit(position), timeoutMs);
  const parts: Parts = {
    log,
    processLog,
    reporting: databases.reporting,
    apps: readModels.apps,
    models: createReadModels(databases.reporting, projections),
    facts: {
      factsHavePassed: (position) => waitForFacts(position, 0),
      hasUndecided: async (appId, position) => hasUndecidedTargets(await parts.models.live("facts"), appId, position),
    },
    now: () => new Date(),
  };
  const webhookReactors = await openWebhookReactors({
    ...{ ...parts, ...webhooks, registry, notifying: databases.notifying },
    waitForFacts,
  });
  const reactors = [
    anyReactor(attributionReactor(attributionDeps(parts))),
    anyReactor(revisionOf(parts)),
    anyReactor(installVectorsOf(parts)),
    anyReactor(uploadIngest(uploadDeps(parts))),
    anyReactor(uploadCompletion(uploadDeps(parts))),
    anyReactor(reportRunnerOf(parts)),
    anyReactor(dailyAggregatesOf(parts)),
    anyReactor(resultRetentionOf(parts)),
    anyReactor(exporterOf(parts)),
    ...webhookReactors.reactors,
  ];
  const stopping = new AbortController();
  const running = runReactors(reactors, runtimeOf(parts, databases, readModels, registry), stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await running;
      webhookReactors.close();
    },
  };
}

interface Parts extends Pick<OpenReadModels, "apps" | "models"> {
  readonly log: EventLog;
  readonly processLog: Log;
  readonly reporting: Knex;
  readonly facts: FactsProgress;
  now(): Date;
}

function runtimeOf(
  { log, processLog, now }: Parts,
  { projecting }: Databases,
  { projector }: OpenReadModels,
  registry: Registry,
): ReactorRuntime {
  const lag = new Gauge({
    name: "reactor_lag_seconds",
    help: "How long the oldest open row of a reactor's to-do list has waited.",
    labelNames: ["reactor"],
    registers: [registry],
  });
  return {
    log,
    runAsLeader: (role, stop, work) => runAsLeader(projecting, role, stop, processLog, whileLogResponds(log, work)),
    waitForPosition: projector.waitForPosition,
    onCommit: projector.onCommit,
    runsProjections: projector.isRunning,
    onSchedule: createSchedule(processLog),
    failed: (failure, reactor, key) =>
      processLog.error({ err: failure, reactor, key }, "work of a reactor has failed; trying again"),
    lag: (reactor, seconds) => (seconds === null ? lag.remove({ reactor }) : lag.set({ reactor }, seconds)),
    now,
    elapsed: () => performance.now(),
  };
}

function attributionDeps({ log, models, now }: Parts): AttributionReactorDeps<OpenTarget> {
  return {
    log,
    runId: randomUUID(),
    openTargets: async (after, max) => openTargets(await models.live("facts"), after, max),
    rulesOf: async (targets) => rulesInForce(await models.live("facts"), targets),
    candidatesOf: async function* (targets) {
      yield* eachCandidates(await models.live("facts"), targets);
    },
    now,
  };
}

function revisionOf(parts: Parts) {
  return revisionReactor<OpenTarget>({
    ...attributionDeps(parts),
    openRevisions: async (max) => openRevisions(await parts.models.live("facts"), max),
  });
}

function installVectorsOf({ models }: Parts) {
  return installVectors({
    hasOpen: async () => hasOpenVectors(await models.live("facts")),
    fill: async (max) => fillVectors(await models.live("facts"), max),
  });
}

function uploadDeps({ log, models, apps, facts, now }: Parts): UploadPipelineDeps<UploadRow> {
  return {
    log,
    openUploads: async (max) => openUploads(await models.live("uploads"), max),
    validate: createUploadValidator({
      log,
      channels: async () => storedChannels(await models.live("apps")),
      timezoneOf: async (appId) => (await apps.requireApp(appId)).timezone,
    }),
    factsHavePassed: facts.factsHavePassed,
    now,
  };
}

function reportRunnerOf({ log, models, apps, reporting, facts, now }: Parts) {
  const tasks = () => models.live("report_tasks");
  const positionOf = createPositionOf(log);
  return reportRunner<ReportTaskRow>({
    log,
    openTasks: async (max) => openReportTasks(await tasks(), max),
    lostTasks: async (max) => succeededReportTasks(await tasks(), await requestedRows(reporting, max)),
    atPosition: (task) => withAsOfPosition(task, positionOf),
    canceledAmong: async (taskIds) => canceledReportTasks(await tasks(), taskIds),
    dropRequest: (taskId) => dropRequest(reporting, taskId),
    run: async (task, { epoch, signal }) => {
      const { currency, timezone } = await apps.requireApp(task.appId);
      return computeAndStore({
        computation: reportModules[task.report].computation,
        facts: await models.live("facts"),
        db: reporting,
        task: { ...task, currency, timezone },
        guard: (trx) => requireEpoch(trx, "reports", epoch),
        signal,
      });
    },
    ...facts,
    now,
  });
}

function dailyAggregatesOf({ models }: Parts) {
  return dailyAggregates({
    dueDays: async (max) => daysToAggregate(await models.live("facts"), max),
    aggregate: async (day) => aggregateDay(await models.live("facts"), day),
    elapsed: () => performance.now(),
  });
}

function resultRetentionOf({ models, reporting, processLog, now }: Parts) {
  return dropExpiredResults({
    expired: async () => {
      const endedBy = new Date(now().getTime() - resultRetentionMs);
      return reportTasksEndedBy(await models.live("report_tasks"), await storedTasks(reporting), endedBy);
    },
    drop: async (taskIds) => {
      const dropped = await dropResults(reporting, taskIds);
      processLog.info({ dropped }, "dropped the results of reports whose retention period has expired");
    },
  });
}

function exporterOf({ log, models, apps, facts, now }: Parts) {
  const rowsOf = rowsOfExport({ apps, models });
  return exporter<RawExportRow>({
    log,
    openExports: async (max) => openExports(await models.live("raw_exports"), max),
    measureFile: (rawExport, signal) =>
      measureCsvFile(rawExport.query.properties as readonly PropertyKey[], rowsOf(rawExport, null, signal)),
    ...facts,
    now,
  });
}
