import type { ReportSucceeded } from "../../domain/report-tasks/events.ts";
import { type ReportTaskCommand, type ReportTaskState, reportTask } from "../../domain/report-tasks/report-task.ts";
import { reportLimits } from "../../domain/reporting/limits.ts";
import { reportTaskStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { derivedUuid } from "../derived-ids.ts";
import { handleCommand } from "../handle-command.ts";
import type { Attempt, GiveUpReason, Reactor } from "../reactors/reactor.ts";
import { retryForOneMinute } from "../reactors/retry-policy.ts";
import { type FactsProgress, runnableAmong, type WorkAtPosition } from "../reactors/runnable-work.ts";

export type ReportRun =
  | ({ readonly outcome: "stored" } & Omit<ReportSucceeded["data"], "taskId" | "endedAt">)
  | { readonly outcome: "too_slow" }
  /** A group of the report has more rows than a result may have. */
  | { readonly outcome: "too_large" }
  /** The signal aborted before its rows were stored. */
  | { readonly outcome: "abandoned" };

/** Outcome of a task; `ended`: the task had already finished; `not_recomputed`: its lost rows stay lost. */
type TaskOutcome =
  | Exclude<ReportRun, { readonly outcome: "abandoned" }>
  | { readonly outcome: GiveUpReason }
  | { readonly outcome: "ended" | "not_recomputed" };

interface ReportTask extends WorkAtPosition {
  readonly taskId: string;
  /** The token that requested it; null: the operator. */
  readonly requestedBy: string | null;
}

/** A task to run, or a succeeded task whose lost rows, which had this hash, are computed again. */
export interface ReportToRun<Task extends ReportTask> extends WorkAtPosition {
  readonly requestedBy: string | null;
  readonly task: Task;
  readonly lostRowsHash: string | null;
}

export interface ReportRunnerDeps<Task extends ReportTask> extends FactsProgress {
  readonly log: EventLog;
  /** Tasks that have not ended, the oldest of each app and token first. */
  openTasks(max: number): Promise<readonly Task[]>;
  /** Tasks that have succeeded and whose rows are lost and requested, oldest first. */
  lostTasks(max: number): Promise<readonly (Task & { readonly rowsHash: string })[]>;
  /** The task with the position of its `asOf`, if it has one; null when the log does not have it. */
  atPosition(task: Task): Promise<Task | null>;
  /** Which of the tasks have been canceled. */
  canceledAmong(taskIds: readonly string[]): Promise<readonly string[]>;
  /** Drops the request for the lost rows of a task; the next read of them requests them again. */
  dropRequest(taskId: string): Promise<void>;
  /** Computes a report and replaces its stored rows, and the request for them; stops when the signal aborts. */
  run(task: Task, attempt: Attempt): Promise<ReportRun>;
  now(): Date;
}

/** Lost rows could not be computed within the limits of a report. */
class RowsNotRecomputed extends Error {
  override readonly name = "RowsNotRecomputed";
}

/** The recomputed rows differ from those that the report ended with. */
class ReportNotReproduced extends Error {
  override readonly name = "ReportNotReproduced";
}

/**
 * Runs each requested report once the facts are complete up to its position, records its outcome, and stops canceled ones
 * (contract/reports.md#tasks). Lost rows are computed again without recording anything.
 */
export function reportRunner<Task extends ReportTask>(
  deps: ReportRunnerDeps<Task>,
): Reactor<ReportToRun<Task>, TaskOutcome> {
  const toRun = async (task: Task, lostRowsHash: string | null): Promise<ReportToRun<Task>> => {
    const { appId, requestedBy } = task;
    // A task without a position fails when it runs, and stops no other.
    const { position } = (await deps.atPosition(task).catch(() => null)) ?? task;
    return { appId, position, requestedBy, task, lostRowsHash };
  };
  const run = async (task: Task, attempt: Attempt): Promise<ReportRun> => {
    const placed = await deps.atPosition(task);
    if (placed === null) throw new Error(`The log no longer has the event that report ${task.taskId} is as of`);
    return deps.run(placed, attempt);
  };
  const recompute = async (task: Task, rowsHash: string, attempt: Attempt): Promise<null> => {
    const result = await run(task, attempt);
    if (result.outcome === "abandoned") return null;
    if (result.outcome !== "stored") {
      await deps.dropRequest(task.taskId);
      throw new RowsNotRecomputed(`Lost rows of report ${task.taskId} were not computed again: ${result.outcome}`);
    }
    if (result.rowsHash === rowsHash) return null;
    throw new ReportNotReproduced(`Report ${task.taskId} ended with other rows than it has now`);
  };
  return {
    name: "reports",
    role: "reports",
    list: "control",
    adds: ({ type }) => type === "ReportRequested" || type === "ReportCanceled",
    open: async (max) => {
      const [open, lost] = [await deps.openTasks(max), await deps.lostTasks(max)];
      return Promise.all([...open.map((task) => toRun(task, null)), ...lost.map((task) => toRun(task, task.rowsHash))]);
    },
    keyOf: ({ task }) => task.taskId,
    runnable: (tasks) => runnableAmong(tasks, deps),
    act: async ({ task, lostRowsHash }, attempt) => {
      if (lostRowsHash !== null) return recompute(task, lostRowsHash, attempt);
      const { taskId } = task;
      const stage = await recordStep(deps, taskId, { type: "StartReport", data: { taskId } });
      if (stage !== "started") return { outcome: "ended" };
      const result = await run(task, attempt);
      return result.outcome === "abandoned" ? null : result;
    },
    record: async ({ task: { taskId } }, result) => {
      if (result.outcome === "not_recomputed") {
        await deps.dropRequest(taskId);
        return false;
      }
      const end = { taskId, endedAt: deps.now().toISOString() };
      if (result.outcome === "stored") {
        const { outcome: _, ...stored } = result;
        await recordStep(deps, taskId, { type: "SucceedReport", data: { ...stored, ...end } });
      } else if (result.outcome !== "ended") {
        await recordStep(deps, taskId, { type: "FailReport", data: { reason: result.outcome, ...end } });
      }
      return true;
    },
    giveUp: ({ lostRowsHash }, reason) => ({ outcome: lostRowsHash === null ? reason : "not_recomputed" }),
    canceledAmong: deps.canceledAmong,
    retry: retryForOneMinute,
    limits: { maxConcurrent: reportLimits.concurrent, maxOpen: 100, waitMs: 60_000, finishMs: 1_500 },
  };
}

/**
 * Appends a step to a task's stream; repeated, its event has the same id. Returns the stage after it, or
 * `ended_otherwise` if the task has already finished otherwise, which is final (contract/reports.md#tasks).
 */
async function recordStep(
  { log, now }: Pick<ReportRunnerDeps<ReportTask>, "log" | "now">,
  taskId: string,
  command: ReportTaskCommand,
): Promise<ReportTaskState["stage"] | "ended_otherwise"> {
  const actor = { kind: "reactor", name: "reports" } as const;
  const cause = { actor, requestId: taskId, occurredAt: now().toISOString() };
  const commandId = derivedUuid(taskId, command.type);
  const stream = reportTaskStream(taskId);
  const handled = await handleCommand(log, reportTask, stream, commandId, command, cause, { follows: () => true });
  if (handled.outcome === "handled") return handled.state.stage;
  const { rejected } = handled.rejection;
  if (rejected === "REPORT_ENDED_OTHERWISE") return "ended_otherwise";
  throw new Error(`${command.type} was rejected: ${rejected}`);
}
