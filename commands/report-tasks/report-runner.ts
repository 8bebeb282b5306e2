import { setTimeout as delay } from "node:timers/promises";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { type AnswerableDeps, answerableAmong, type ReportToRun } from "./answerable.ts";
import { type ReportOutcome, reportSteps } from "./report-steps.ts";

export type ReportRun = ({ readonly outcome: "stored" } & ReportOutcome) | { readonly outcome: "too_slow" };

export interface ReportRunnerDeps<Task extends ReportToRun> extends AnswerableDeps {
  readonly log: EventLog;
  /** Tasks that have not ended, oldest first. */
  openTasks(most: number): Promise<readonly Task[]>;
  /** Tasks that have succeeded and whose rows are lost and asked for, oldest first. */
  lostTasks(most: number): Promise<readonly (Task & { readonly rowsHash: string })[]>;
  /** Computes a report and stores its rows in place of any that it had. */
  run(task: Task): Promise<ReportRun>;
  /** Told of what went wrong; the runner goes on. `taskId` is null when it was not about one task. */
  failed(failure: unknown, taskId: string | null): void;
  now(): Date;
}

/** Reports that are computed at the same time. */
const mostAtOnce = 2;
/** Rows of the to-do list that are looked at in one round. */
const mostInSight = 100;
/** D7.1: how long a task waits for the facts and for decisions, and how long one that keeps failing is tried again. */
const patienceMs = 60_000;
const roundMs = 100;
const afterFailureMs = 1_000;
/** What still runs after that is left to the next runner. */
const stopWithinMs = 2_000;

/** The rows that were computed again are not those that the report ended with. */
export class ReportNotReproduced extends Error {
  override readonly name = "ReportNotReproduced";
}

/**
 * The report runner (design 2.5): a reactor over the to-do list of tasks. Runs each once the facts can answer at its
 * position and records how it ended. It remembers nothing that must be kept: killed anywhere, the next one takes the
 * same tasks up and ends them alike. Resolves once `signal` has aborted.
 */
export async function runReports<Task extends ReportToRun>(
  deps: ReportRunnerDeps<Task>,
  signal: AbortSignal,
): Promise<void> {
  const steps = reportSteps(deps.log, deps.now);
  const running = new Map<string, Promise<void>>();
  const firstSeen = new Map<string, number>();
  /** What fails: since when, and until when it is left alone. Meanwhile others run in its place. */
  const failing = new Map<string, { readonly since: number; readonly until: number }>();
  /** Ended here; the to-do list may still show them for a moment. */
  const ended = new Set<string>();

  const isOutOfPatience = (since: number | undefined): boolean =>
    since !== undefined && deps.now().getTime() - since >= patienceMs;
  const fail = async (taskId: string, reason: string): Promise<void> => {
    await steps.fail(taskId, reason);
    ended.add(taskId);
  };
  const runOpen = async (task: Task): Promise<void> => {
    const { taskId } = task;
    if (isOutOfPatience(failing.get(taskId)?.since)) return fail(taskId, "internal_error");
    await steps.start(taskId);
    const run = await deps.run(task);
    if (run.outcome === "too_slow") return fail(taskId, "too_slow");
    const { outcome: _stored, ...result } = run;
    await steps.succeed(taskId, result);
    ended.add(taskId);
  };
  const runLost = async (task: Task & { readonly rowsHash: string }): Promise<void> => {
    const run = await deps.run(task);
    if (run.outcome === "stored" && run.rowsHash === task.rowsHash) return;
    throw new ReportNotReproduced(`Report ${task.taskId} ended with other rows than it has now`);
  };
  const start = (taskId: string, work: Promise<void>): void => {
    const failedOnce = (failure: unknown): void => {
      deps.failed(failure, taskId);
      const now = deps.now().getTime();
      failing.set(taskId, { since: failing.get(taskId)?.since ?? now, until: now + afterFailureMs });
    };
    const done = work.catch(failedOnce).finally(() => running.delete(taskId));
    running.set(taskId, done);
  };

  const round = async (): Promise<void> => {
    const open = await deps.openTasks(mostInSight);
    forgetAllBut(open, [firstSeen, ended]);
    for (const { taskId } of open) firstSeen.set(taskId, firstSeen.get(taskId) ?? deps.now().getTime());
    const lost = await deps.lostTasks(mostInSight);
    forgetAllBut([...open, ...lost], [failing]);
    const now = deps.now().getTime();
    const isIdle = ({ taskId }: Task): boolean =>
      !running.has(taskId) && !ended.has(taskId) && (failing.get(taskId)?.until ?? 0) <= now;
    const answerable = await answerableAmong(byPosition([...open, ...lost].filter(isIdle)), deps);
    for (const task of open.filter(isIdle)) {
      if (running.size >= mostAtOnce) return;
      if (answerable.has(task.taskId)) start(task.taskId, runOpen(task));
      else if (isOutOfPatience(firstSeen.get(task.taskId))) start(task.taskId, fail(task.taskId, "facts_behind"));
    }
    for (const task of lost.filter(isIdle)) {
      if (running.size >= mostAtOnce) return;
      if (answerable.has(task.taskId)) start(task.taskId, runLost(task));
    }
  };

  while (!signal.aborted) {
    try {
      await round();
      await pause(roundMs, signal);
    } catch (failure) {
      deps.failed(failure, null);
      await pause(afterFailureMs, signal);
    }
  }
  await Promise.race([Promise.all(running.values()), delay(stopWithinMs)]);
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

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
