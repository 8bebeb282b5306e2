import type { Knex } from "knex";
import type { Gauge } from "prom-client";
import { runReports } from "../../commands/report-tasks/report-runner.ts";
import type { ReportTaskEvent } from "../../domain/report-tasks/events.ts";
import { type HeldRole, requireEpoch } from "../../projections/engine/leader/leader-election.ts";
import { hasUndecidedTargets } from "../../projections/facts/queries.ts";
import {
  canceledReportTasks,
  openReportTasks,
  type ReportTaskRow,
  succeededReportTasks,
} from "../../projections/report-tasks/queries.ts";
import { atItsPosition } from "../../projections/reports/query/resolve-as-of.ts";
import { computeAndStore } from "../../projections/reports/results/report-computation.ts";
import { requestedRows } from "../../projections/reports/results/stored-rows.ts";
import type { EventLog } from "../event-log/event-log.ts";
import type { Log } from "../process/log.ts";
import type { House } from "./read-models.ts";
import { reportModules } from "./report-modules.ts";
import { createPositionOf } from "./report-moments.ts";

export interface ReportRunnerParts extends Pick<House, "apps" | "models" | "projector"> {
  readonly eventLog: EventLog;
  readonly reporting: Knex;
  readonly log: Pick<Log, "error">;
  /** In seconds, by reactor. */
  readonly lag: Pick<Gauge, "set">;
}

/** What opens a row of the to-do list, or takes one away from the runner. */
const moving: ReadonlySet<string> = new Set(["ReportRequested", "ReportCanceled"] satisfies ReportTaskEvent["type"][]);

/** The report runner over the house's own log and read models, while it holds its role. */
export function reportRunner(parts: ReportRunnerParts, { epoch, signal }: HeldRole): Promise<void> {
  const { eventLog, reporting, projector, models, apps, log, lag } = parts;
  const tasks = () => models.live("report_tasks");
  const positionOf = createPositionOf(eventLog);
  const placed = <Task extends ReportTaskRow>(found: readonly Task[]) =>
    Promise.all(found.map((task) => atItsPosition(task, positionOf)));
  let openSince: number | null = null;
  return runReports<ReportTaskRow>(
    {
      log: eventLog,
      openTasks: async (most) => {
        const open = await placed(await openReportTasks(await tasks(), most));
        openSince = open.length === 0 ? null : (openSince ?? Date.now());
        lag.set({ reactor: "reports" }, openSince === null ? 0 : (Date.now() - openSince) / 1_000);
        return open;
      },
      lostTasks: async (most) =>
        placed(await succeededReportTasks(await tasks(), await requestedRows(reporting, most))),
      canceledAmong: async (taskIds) => canceledReportTasks(await tasks(), taskIds),
      factsHavePassed: (position) => projector.hasPassed("facts", { commit: position, prepare: position }, 0),
      hasUndecided: async (appId, position) => hasUndecidedTargets(await models.live("facts"), appId, position),
      run: async (task, abandoned) => {
        const app = await apps.findAppById(task.appId);
        if (app === null) throw new Error(`Report ${task.taskId} is of an unknown app`);
        const { computation } = reportModules[task.report];
        const guard = (trx: Knex.Transaction) => requireEpoch(trx, "reports", epoch);
        const report = { ...task, currency: app.currency, timezone: app.timezone };
        return computeAndStore(computation, await models.live("facts"), reporting, report, guard, abandoned);
      },
      onProgress: (listener) =>
        projector.onCommit((group, batch) => {
          const isAwaited = group === "facts" && openSince !== null;
          if (isAwaited || batch.some(({ type }) => moving.has(type))) listener();
        }),
      failed: (failure, taskId) => log.error({ err: failure, taskId }, "a report could not be run; trying again"),
      now: () => new Date(),
    },
    signal,
  );
}
