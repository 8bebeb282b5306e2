import { randomUUID } from "node:crypto";
import { Gauge, type Registry } from "prom-client";
import { createAttributionReactor } from "../../commands/attribution/attribution-reactor.ts";
import { createBell } from "../../commands/reactors/wake-signal.ts";
import type { AppEventRecorded } from "../../domain/app-events/events.ts";
import type { RecordedEvent } from "../../domain/event.ts";
import { reportKeptMs } from "../../domain/report-tasks/result-retention.ts";
import { holdRole } from "../../projections/engine/leader/leader-election.ts";
import { fillVectors } from "../../projections/facts/app-events/install-vectors.ts";
import { candidatesOf } from "../../projections/facts/attribution/candidates.ts";
import { openRevisions } from "../../projections/facts/attribution/open-revisions.ts";
import { rulesInForce } from "../../projections/facts/attribution/rules.ts";
import type { OpenTarget } from "../../projections/facts/attribution/stored-targets.ts";
import { countDay, uncountedDays } from "../../projections/facts/daily-counts/count-day.ts";
import { openTargets } from "../../projections/facts/queries.ts";
import { createReadModels } from "../../projections/read-models.ts";
import { reportTasksEndedBy } from "../../projections/report-tasks/queries.ts";
import { createReportStore, dropResults, tasksWithResult } from "../../projections/reports/results/stored-rows.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { countDays } from "../jobs/daily-aggregates.ts";
import { startReportKeeping } from "../jobs/result-retention.ts";
import { fillInstallVectors } from "../jobs/vector-filling.ts";
import type { Log } from "../process/log.ts";
import { exporter } from "./exports.ts";
import { type Databases, type House, projections } from "./read-models.ts";
import { reportRunner } from "./reports.ts";
import { uploadPipeline } from "./uploads.ts";

const lookAgainMs = 1_000;

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
    holdRole(databases.projecting, "reports", stopping.signal, log, async (held) => {
      await untilCaughtUp(deps, held.signal);
      await Promise.all([reportRunner(deps, held), dayCounting(deps, held.signal)]);
    }),
    holdRole(databases.projecting, "exports", stopping.signal, log, async ({ signal }) => {
      await untilCaughtUp(deps, signal);
      await exporter(deps, signal);
    }),
    holdRole(databases.projecting, "attribution", stopping.signal, log, async ({ signal }) => {
      await Promise.all([attributionReactor(deps, signal), vectorFilling(deps, signal)]);
    }),
    holdRole(databases.projecting, "uploads", stopping.signal, log, async ({ signal }) => {
      await untilCaughtUp(deps, signal);
      await uploadPipeline(deps, signal);
    }),
  ];
  const keeping = startReportKeeping({
    drop: async (now) => {
      await untilCaughtUp(deps, stopping.signal);
      const tasks = await deps.models.live("report_tasks");
      const kept = await tasksWithResult(databases.reporting);
      const endedBy = new Date(now.getTime() - reportKeptMs);
      return dropResults(databases.reporting, await reportTasksEndedBy(tasks, kept, endedBy));
    },
    log,
    now: () => new Date(),
  });
  return {
    stop: async () => {
      stopping.abort();
      await keeping.stop();
      await Promise.all(running);
    },
  };
}

interface ReactorDeps extends Databases, House {
  readonly eventLog: EventLog;
  readonly log: Log;
  readonly lag: Gauge;
}

async function attributionReactor(deps: ReactorDeps, signal: AbortSignal): Promise<void> {
  const { eventLog, projector, models, log, lag } = deps;
  const reactor = createAttributionReactor<OpenTarget>({
    log: eventLog,
    runId: randomUUID(),
    factsHavePassed: (position, timeoutMs) => projector.hasPassed("facts", position, timeoutMs),
    onProgress: (listener) =>
      projector.onCommit((group, batch) => {
        if (group === "facts" && batch.some(({ type }) => type === "AppEventRecorded" || type === "AttributionRevised"))
          listener();
      }),
    openTargets: async (after, most) => {
      lag.set({ reactor: "attribution" }, reactor.lagMs() / 1_000);
      return openTargets(await models.live("facts"), after, most);
    },
    openRevisions: async (most) => openRevisions(await models.live("facts"), most),
    rulesOf: async (targets) => rulesInForce(await models.live("facts"), targets),
    candidatesOf: async (targets) => candidatesOf(await models.live("facts"), targets),
    failed: (failure) => log.error({ err: failure }, "target events could not be attributed; trying again"),
    now: () => new Date(),
  });
  await reactor.run(signal);
}

/** Runs where attribution runs, whose look-ups it makes. */
async function vectorFilling({ projector, models, log, lag }: ReactorDeps, signal: AbortSignal): Promise<void> {
  const wake = createBell(signal);
  const stopListening = projector.onCommit((group, batch) => {
    if (group === "facts" && batch.some(isInstall)) wake.ring();
  });
  await fillInstallVectors(
    {
      fill: async (max) => fillVectors(await models.live("facts"), max),
      untilWoken: wake.rung,
      pause: wake.silence,
      onLag: (ms) => lag.set({ reactor: "vectors" }, ms / 1_000),
      log,
      now: () => performance.now(),
    },
    signal,
  );
  stopListening();
}

function isInstall(event: RecordedEvent): boolean {
  return event.type === "AppEventRecorded" && (event as AppEventRecorded).data.category === "app_install";
}

/** Of whoever runs the reports, which read the counts. */
function dayCounting({ models, apps, log }: ReactorDeps, signal: AbortSignal): Promise<void> {
  return countDays(
    {
      due: async () => uncountedDays(await models.live("facts")),
      count: async (day) => {
        const app = await apps.findAppById(day.app_id);
        if (app === null) throw new Error(`The facts of ${day.local_date} are of app ${day.app_id}, which is unknown`);
        await countDay(await models.live("facts"), day, app.currency);
      },
      log,
    },
    signal,
  );
}

/** To-do lists that are being rebuilt show what was done long ago. */
async function untilCaughtUp({ eventLog, projector }: ReactorDeps, signal: AbortSignal): Promise<void> {
  const head = await eventLog.headPosition();
  for (const group of ["control", "facts"] as const) {
    while (!signal.aborted && !(await projector.hasPassed(group, head, lookAgainMs)));
  }
}
