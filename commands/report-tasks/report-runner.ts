import { setTimeout as delay } from "node:timers/promises";
import type { ReportFailureReason } from "../../domain/report-tasks/events.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { createFairTurns } from "../reactors/fair-scheduler.ts";
import { type AnswerableDeps, answerableAmong, type ReportToRun } from "../reactors/runnable-tasks.ts";
import { createBell } from "../reactors/wake-signal.ts";
import { type ReportOutcome, reportSteps } from "./report-steps.ts";

export type ReportRun =
  | ({ readonly outcome: "stored" } & ReportOutcome)
  | { readonly outcome: "too_slow" }
  /** One group of it has more rows than a result holds. */
  | { readonly outcome: "too_large" }
  /** The signal aborted before its rows were stored. */
  | { readonly outcome: "abandoned" };

export interface ReportRunnerDeps<Task extends ReportToRun> extends AnswerableDeps {
  readonly log: EventLog;
  /** Tasks that have not ended, the oldest of each app first. */
  openTasks(most: number): Promise<readonly Task[]>;
  /** Tasks that have succeeded and whose rows are lost and asked for, oldest first. */
  lostTasks(most: number): Promise<readonly (Task & { readonly rowsHash: string })[]>;
  /** Those of some tasks that have been canceled. */
  canceledAmong(taskIds: readonly string[]): Promise<readonly string[]>;
  /** Computes a report and stores its rows in place of any that it had; stops when `signal` aborts. */
  run(task: Task, signal: AbortSignal): Promise<ReportRun>;
  /** Calls `listener` whenever there may be more to do; what it answers takes it off again. */
  onProgress(listener: () => void): () => void;
  /** Told of what went wrong; the runner goes on. `taskId` is null when it was not about one task. */
  failed(failure: unknown, taskId: string | null): void;
  now(): Date;
}

/** Reports that are computed at the same time. */
export const maxConcurrentReports = 2;
/** Rows of the to-do list that are looked at in one round. */
const mostInSight = 100;
/**
 * How long a task waits for the facts and for decisions, and how long one that keeps failing is tried again
 * (contract/reports.md#tasks).
 */
const patienceMs = 60_000;
/** The list is looked at so often when nobody rings, as when another process projects. */
const lookEveryMs = 500;
const afterFailureMs = 1_000;
/** What still runs after that is cancelled, and left to the next runner. */
const finishWithinMs = 1_500;
const stopWithinMs = 500;

/** The rows that were computed again are not those that the report ended with. */
export class ReportNotReproduced extends Error {
  override readonly name = "ReportNotReproduced";
}

interface Running {
  readonly appId: number;
  readonly abandon: AbortController;
  readonly over: Promise<void>;
}

/**
 * The report runner: a reactor over the to-do list of tasks. Runs each once the facts can answer at its position, apps
 * in turn, and records how it ended; stops those that are canceled. It remembers nothing that must be kept: killed
 * anywhere, the next one takes the same tasks up and ends them alike. Resolves once `signal` has aborted.
 */
export async function runReports<Task extends ReportToRun>(
  deps: ReportRunnerDeps<Task>,
  signal: AbortSignal,
): Promise<void> {
  const steps = reportSteps(deps.log, deps.now);
  const turns = createFairTurns();
  const bell = createBell(signal);
  const stopListening = deps.onProgress(bell.ring);
  const running = new Map<string, Running>();
  const firstSeen = new Map<string, number>();
  /** What fails: since when, and until when it is left alone. Meanwhile others run in its place. */
  const failing = new Map<string, { readonly since: number; readonly until: number }>();
  /** Ended here; the to-do list may still show them for a moment. */
  const ended = new Set<string>();
  const now = (): number => deps.now().getTime();

  const isOutOfPatience = (since: number | undefined): boolean => since !== undefined && now() - since >= patienceMs;
  const fail = async (taskId: string, reason: ReportFailureReason): Promise<void> => {
    await steps.fail(taskId, reason);
    ended.add(taskId);
  };
  const runOpen = async (task: Task, abandoned: AbortSignal): Promise<void> => {
    const { taskId } = task;
    if (isOutOfPatience(failing.get(taskId)?.since)) return fail(taskId, "internal_error");
    if (await steps.start(taskId)) {
      const run = await deps.run(task, abandoned);
      if (run.outcome === "abandoned") return;
      if (run.outcome !== "stored") return fail(taskId, run.outcome);
      const { outcome: _stored, ...result } = run;
      await steps.succeed(taskId, result);
    }
    ended.add(taskId);
  };
  const runLost = async (task: Task & { readonly rowsHash: string }, abandoned: AbortSignal): Promise<void> => {
    const run = await deps.run(task, abandoned);
    if (run.outcome === "abandoned") return;
    if (run.outcome === "stored" && run.rowsHash === task.rowsHash) return;
    throw new ReportNotReproduced(`Report ${task.taskId} ended with other rows than it has now`);
  };
  const start = ({ taskId, appId }: Task, work: (abandoned: AbortSignal) => Promise<void>): void => {
    const abandon = new AbortController();
    const over = work(abandon.signal)
      .catch((failure: unknown) => {
        deps.failed(failure, taskId);
        failing.set(taskId, { since: failing.get(taskId)?.since ?? now(), until: now() + afterFailureMs });
      })
      .finally(() => {
        running.delete(taskId);
        bell.ring();
      });
    running.set(taskId, { appId, abandon, over });
  };

  const abandonCanceled = async (): Promise<void> => {
    for (const taskId of await deps.canceledAmong([...running.keys()])) running.get(taskId)?.abandon.abort();
  };
  const startWaiting = async (): Promise<void> => {
    const open = await deps.openTasks(mostInSight);
    forgetAllBut(open, [firstSeen, ended]);
    for (const { taskId } of open) firstSeen.set(taskId, firstSeen.get(taskId) ?? now());
    const lost = await deps.lostTasks(mostInSight);
    forgetAllBut([...open, ...lost], [failing]);
    if (running.size >= maxConcurrentReports) return;
    const isIdle = ({ taskId }: Task): boolean =>
      !running.has(taskId) && !ended.has(taskId) && (failing.get(taskId)?.until ?? 0) <= now();
    const answerable = await answerableAmong(byPosition([...open, ...lost].filter(isIdle)), deps);
    const workOf = (task: Task): ((abandoned: AbortSignal) => Promise<void>) | null => {
      if (answerable.has(task.taskId)) return (abandoned) => runOpen(task, abandoned);
      return isOutOfPatience(firstSeen.get(task.taskId)) ? () => fail(task.taskId, "facts_behind") : null;
    };
    const waiting = [
      ...open.filter(isIdle).map((task) => ({ appId: task.appId, task, work: workOf(task) })),
      ...lost
        .filter((task) => isIdle(task) && answerable.has(task.taskId))
        .map((task) => ({ appId: task.appId, task, work: (abandoned: AbortSignal) => runLost(task, abandoned) })),
    ].filter(({ work }) => work !== null);
    while (running.size < maxConcurrentReports) {
      const next = turns.next(
        waiting,
        [...running.values()].map(({ appId }) => appId),
      );
      if (next === null || next.work === null) return;
      waiting.splice(waiting.indexOf(next), 1);
      start(next.task, next.work);
    }
  };

  while (!signal.aborted) {
    try {
      await abandonCanceled();
      await startWaiting();
      await bell.rung(lookEveryMs);
    } catch (failure) {
      deps.failed(failure, null);
      await bell.silence(afterFailureMs);
    }
  }
  stopListening();
  const allOver = Promise.all([...running.values()].map(({ over }) => over));
  await Promise.race([allOver, delay(finishWithinMs)]);
  for (const { abandon } of running.values()) abandon.abort();
  await Promise.race([allOver, delay(stopWithinMs)]);
}

function byPosition<Task extends ReportToRun>(tasks: readonly Task[]): readonly Task[] {
  return [...tasks].sort((one, other) => (one.position < other.position ? -1 : 1));
}

/** What is not open any more need not be remembered. */
function forgetAllBut(
  open: readonly ReportToRun[],
  remembered: readonly { keys(): Iterable<string>; delete(taskId: string): boolean }[],
): void {
  const isOpen = new Set(open.map(({ taskId }) => taskId));
  for (const memory of remembered)
    for (const taskId of [...memory.keys()]) if (!isOpen.has(taskId)) memory.delete(taskId);
}
