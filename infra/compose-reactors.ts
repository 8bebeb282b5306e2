import { randomUUID } from "node:crypto";
import type { Knex } from "knex";
import { schedule } from "node-cron";
import { createAttributionReactor } from "../commands/attribution/attribution-reactor.ts";
import { runReports } from "../commands/report-tasks/report-runner.ts";
import { candidatesOf } from "../projections/facts/candidates.ts";
import { hasUndecidedTargets, type OpenTarget, openTargets } from "../projections/facts/queries.ts";
import type { GroupName } from "../projections/projection.ts";
import { createReadModels } from "../projections/read-models.ts";
import { openReportTasks, type ReportTaskRow, succeededReportTasks } from "../projections/report-tasks/queries.ts";
import { computeAndStore } from "../projections/reports/report-run.ts";
import { askedAgain, createReportStore, dropResultsStoredBefore } from "../projections/reports/stored-rows.ts";
import { holdRole, requireEpoch } from "../projections/role.ts";
import { type Databases, type House, projections } from "./compose-house.ts";
import type { EventLog } from "./event-log/event-log.ts";
import type { Log } from "./log.ts";

const lookAgainMs = 1_000;
const everyHour = "17 * * * *";
/** D7.1: results are kept 7 days; a day more, so that none goes before its task does. */
const resultsKeptMs = 8 * 24 * 60 * 60 * 1000;

/** The reactors, one of each in a deployment. */
export async function startReactors(
  eventLog: EventLog,
  { projecting, reporting }: Databases,
  { apps, projector }: House,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  await createReportStore(reporting);
  const stopping = new AbortController();
  const models = createReadModels(reporting, projections);
  const hasPassed = (group: GroupName, position: bigint, timeoutMs: number) =>
    projector.hasPassed(group, { commit: position, prepare: position }, timeoutMs);
  /** To-do lists that are being rebuilt show what was done long ago (design 5). */
  const untilCaughtUp = async (signal: AbortSignal): Promise<void> => {
    const head = await eventLog.headPosition();
    for (const group of ["control", "facts"] as const) {
      while (!signal.aborted && !(await projector.hasPassed(group, head, lookAgainMs)));
    }
  };
  const reports = holdRole(projecting, "reports", stopping.signal, log, async ({ epoch, signal }) => {
    await untilCaughtUp(signal);
    await runReports<ReportTaskRow>(
      {
        log: eventLog,
        openTasks: async (most) => openReportTasks(await models.live("report_tasks"), most),
        lostTasks: async (most) =>
          succeededReportTasks(await models.live("report_tasks"), await askedAgain(reporting, most)),
        factsHavePassed: (position) => hasPassed("facts", position, 0),
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
  const attribution = holdRole(projecting, "attribution", stopping.signal, log, async ({ signal }) => {
    const reactor = createAttributionReactor<OpenTarget>({
      log: eventLog,
      runId: randomUUID(),
      factsHavePassed: (position, timeoutMs) => projector.hasPassed("facts", position, timeoutMs),
      onProgress: projector.onCommit,
      openTargets: async (after, most) => openTargets(await models.live("facts"), after, most),
      candidatesOf: async (targets) => candidatesOf(await models.live("facts"), targets),
      failed: (failure) => log.error({ err: failure }, "target events could not be attributed; trying again"),
      now: () => new Date(),
    });
    await reactor.run(signal);
  });
  const housekeeping = schedule(everyHour, () =>
    dropResultsStoredBefore(reporting, new Date(Date.now() - resultsKeptMs)).then(
      (dropped) => log.info({ dropped }, "dropped the rows of reports that have expired"),
      (failure: unknown) => log.warn({ err: failure }, "expired reports could not be dropped; trying again in an hour"),
    ),
  );
  return {
    stop: async () => {
      stopping.abort();
      await housekeeping.destroy();
      await Promise.all([reports, attribution]);
    },
  };
}
