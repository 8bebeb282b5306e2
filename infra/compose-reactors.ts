import { randomUUID } from "node:crypto";
import type { Knex } from "knex";
import { schedule } from "node-cron";
import { Gauge, type Registry } from "prom-client";
import { createAttributionReactor } from "../commands/attribution/attribution-reactor.ts";
import { runReports } from "../commands/report-tasks/report-runner.ts";
import { rulesInForce } from "../projections/facts/attribution-rules.ts";
import { candidatesOf } from "../projections/facts/candidates.ts";
import { hasUndecidedTargets, type OpenTarget, openTargets } from "../projections/facts/queries.ts";
import { createReadModels } from "../projections/read-models.ts";
import { openReportTasks, type ReportTaskRow, succeededReportTasks } from "../projections/report-tasks/queries.ts";
import { computeAndStore } from "../projections/reports/report-run.ts";
import { askedAgain, createReportStore, dropResultsStoredBefore } from "../projections/reports/stored-rows.ts";
import { holdRole, requireEpoch } from "../projections/role.ts";
import { type Databases, type House, projections } from "./compose-house.ts";
import { uploadPipeline } from "./compose-uploads.ts";
import type { EventLog } from "./event-log/event-log.ts";
import type { Log } from "./log.ts";

const lookAgainMs = 1_000;
const everyHour = "17 * * * *";
/** D7.1: results are kept 7 days; a day more, so that none goes before its task does. */
const resultsKeptMs = 8 * 24 * 60 * 60 * 1000;

/** The reactors, one of each in a deployment; `/metrics` tells how long the oldest of their work has waited. */
export async function startReactors(
  eventLog: EventLog,
  databases: Databases,
  house: House,
  registry: Registry,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  await createReportStore(databases.reporting);
  const stopping = new AbortController();
  const lag = new Gauge({
    name: "reactor_lag_seconds",
    help: "How long the oldest open row of a reactor's to-do list has been seen waiting.",
    labelNames: ["reactor"],
    registers: [registry],
  });
  const deps = {
    eventLog,
    ...databases,
    ...house,
    log,
    lag,
    models: createReadModels(databases.reporting, projections),
  };
  const running = [
    reportRunner(deps, stopping.signal),
    attributionReactor(deps, stopping.signal),
    holdRole(databases.projecting, "uploads", stopping.signal, log, async ({ signal }) => {
      await untilCaughtUp(deps, signal);
      await uploadPipeline(deps, signal);
    }),
  ];
  const housekeeping = schedule(everyHour, () =>
    dropResultsStoredBefore(databases.reporting, new Date(Date.now() - resultsKeptMs)).then(
      (dropped) => log.info({ dropped }, "dropped the rows of reports that have expired"),
      (failure: unknown) => log.warn({ err: failure }, "expired reports could not be dropped; trying again in an hour"),
    ),
  );
  return {
    stop: async () => {
      stopping.abort();
      await housekeeping.destroy();
      await Promise.all(running);
    },
  };
}

interface ReactorDeps extends Databases, House {
  readonly eventLog: EventLog;
  readonly log: Log;
  readonly lag: Gauge;
}

function reportRunner(deps: ReactorDeps, stop: AbortSignal): Promise<void> {
  const { eventLog, projecting, reporting, projector, models, apps, log, lag } = deps;
  let openSince: number | null = null;
  const openTasks = async (most: number): Promise<readonly ReportTaskRow[]> => {
    const tasks = await openReportTasks(await models.live("report_tasks"), most);
    openSince = tasks.length === 0 ? null : (openSince ?? Date.now());
    lag.set({ reactor: "reports" }, openSince === null ? 0 : (Date.now() - openSince) / 1_000);
    return tasks;
  };
  return holdRole(projecting, "reports", stop, log, async ({ epoch, signal }) => {
    await untilCaughtUp(deps, signal);
    await runReports<ReportTaskRow>(
      {
        log: eventLog,
        openTasks,
        lostTasks: async (most) =>
          succeededReportTasks(await models.live("report_tasks"), await askedAgain(reporting, most)),
        factsHavePassed: (position) => projector.hasPassed("facts", { commit: position, prepare: position }, 0),
        hasUndecided: async (appId, position) => hasUndecidedTargets(await models.live("facts"), appId, position),
        run: async (task) => {
          const app = await apps.findAppById(task.appId);
          if (app === null) throw new Error(`Report ${task.taskId} is of an unknown app`);
          const guard = (trx: Knex.Transaction) => requireEpoch(trx, "reports", epoch);
          return computeAndStore(await models.live("facts"), reporting, { ...task, currency: app.currency }, guard);
        },
        failed: (failure, taskId) => log.error({ err: failure, taskId }, "a report could not be run; trying again"),
        now: () => new Date(),
      },
      signal,
    );
  });
}

function attributionReactor(deps: ReactorDeps, stop: AbortSignal): Promise<void> {
  const { eventLog, projecting, projector, models, log, lag } = deps;
  return holdRole(projecting, "attribution", stop, log, async ({ signal }) => {
    const reactor = createAttributionReactor<OpenTarget>({
      log: eventLog,
      runId: randomUUID(),
      factsHavePassed: (position, timeoutMs) => projector.hasPassed("facts", position, timeoutMs),
      onProgress: (listener) =>
        projector.onCommit((group, batch) => {
          if (group === "facts" && batch.some(({ type }) => type === "AppEventRecorded")) listener();
        }),
      openTargets: async (after, most) => {
        lag.set({ reactor: "attribution" }, reactor.lagMs() / 1_000);
        return openTargets(await models.live("facts"), after, most);
      },
      rulesOf: async (targets) => rulesInForce(await models.live("facts"), targets),
      candidatesOf: async (targets) => candidatesOf(await models.live("facts"), targets),
      failed: (failure) => log.error({ err: failure }, "target events could not be attributed; trying again"),
      now: () => new Date(),
    });
    await reactor.run(signal);
  });
}

/** To-do lists that are being rebuilt show what was done long ago (design 5). */
async function untilCaughtUp({ eventLog, projector }: ReactorDeps, signal: AbortSignal): Promise<void> {
  const head = await eventLog.headPosition();
  for (const group of ["control", "facts"] as const) {
    while (!signal.aborted && !(await projector.hasPassed(group, head, lookAgainMs)));
  }
}
