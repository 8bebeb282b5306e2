import { backoffMs } from "../../domain/backoff.ts";
import type { LogPosition } from "../../domain/event.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import type { ReadModelGroup } from "../../infra/http/routing/route.ts";
import { createFairScheduler, type FairWork } from "./fair-scheduler.ts";
import { type Clocks, type Leadership, laneOf, type Reactor } from "./reactor.ts";
import { createRunningWork } from "./running-work.ts";
import { createToDoList } from "./to-do-list.ts";
import { createWakeSignal } from "./wake-signal.ts";
import { createWorkMemory } from "./work-memory.ts";

/** The environment of reactors. */
export interface ReactorRuntime extends Clocks {
  /** Does `work` whenever this process holds `role`, until `stop` aborts. */
  runAsLeader(role: string, stop: AbortSignal, work: (leadership: Leadership) => Promise<void>): Promise<void>;
  readonly log: Pick<EventLog, "headPosition">;
  /** Waits until a group of read models has passed a position; false after `timeoutMs`. */
  waitForPosition(group: ReadModelGroup, position: LogPosition | null, timeoutMs: number): Promise<boolean>;
  /** Calls `listener` after every commit of the projections; returns a function that removes it. */
  onCommit(listener: (group: string, events: readonly RecordedEvent[]) => void): () => void;
  /** Whether this process runs the projections, so that their commits wake reactors. */
  runsProjections(): boolean;
  /** Calls `listener` by a cron expression; returns a function that removes it. */
  onSchedule(expression: string, listener: () => void): () => void;
  /** Called with every failure, after which the reactor continues. `key` is null unless a piece of work has failed. */
  failed(failure: unknown, reactor: string, key: string | null): void;
  /** Called with the age of the oldest work on the list after every read of it, and with null when the reactor ends. */
  lag(reactor: string, seconds: number | null): void;
}

const caughtUpPollMs = 1_000;
/** Interval of reads of a to-do list without a wake. */
const usualPollMs = 500;
/** The same where commits wake reactors: polls then find only what no event adds to the list. */
const wokenPollMs = 2_000;

/** A reactor without the types of its work, so that reactors of different work can stand in one list. */
export interface AnyReactor {
  readonly role: string;
  run(runtime: ReactorRuntime, leadership: Leadership): Promise<void>;
}

export function anyReactor<Work extends FairWork, Outcome>(reactor: Reactor<Work, Outcome>): AnyReactor {
  return { role: reactor.role, run: (runtime, leadership) => runReactor(reactor, runtime, leadership) };
}

/** Runs reactors under their roles until `stop` aborts. */
export async function runReactors(
  reactors: readonly AnyReactor[],
  runtime: ReactorRuntime,
  stop: AbortSignal,
): Promise<void> {
  const roles = new Set(reactors.map(({ role }) => role));
  const run = (role: string) =>
    runtime.runAsLeader(role, stop, async (leadership) => {
      await Promise.all(reactors.filter((one) => one.role === role).map((one) => one.run(runtime, leadership)));
    });
  await Promise.all([...roles].map(run));
}

/**
 * Runs a reactor until `signal` aborts, and resolves when its work has ended, or 2 s later. Apps take turns; failed work is
 * retried with growing pauses while other work continues. It starts once the read models have passed the head of the log:
 * a to-do list that is being rebuilt shows work that was done long ago.
 */
async function runReactor<Work extends FairWork, Outcome>(
  reactor: Reactor<Work, Outcome>,
  runtime: ReactorRuntime,
  { epoch, signal }: Leadership,
): Promise<void> {
  const { name, retry, limits } = reactor;
  const { maxConcurrent, maxStarts = maxConcurrent, pollMs, pauseMs = 0, finishMs = 0 } = limits;
  const scheduler = createFairScheduler();
  const wakeSignal = createWakeSignal(signal);
  const memory = createWorkMemory(retry, runtime.elapsed);
  const failed = (failure: unknown, key: string | null): void => runtime.failed(failure, name, key);
  const running = createRunningWork(reactor, epoch, memory, wakeSignal, failed);
  const list = createToDoList(reactor, memory, running, runtime);
  const stopListening = runtime.onCommit((group, events) => {
    const mayRunNow = group === "facts" && list.hasBlocked();
    const mayHaveMore = group === reactor.list && events.some((event) => reactor.adds(event));
    if (mayRunNow || mayHaveMore) wakeSignal.wake();
  });
  const stopSchedule = reactor.schedule && runtime.onSchedule(reactor.schedule, wakeSignal.wake);

  const startWork = async (): Promise<void> => {
    let waiting = await list.startable();
    // The list may come long after the role was lost.
    if (signal.aborted) return;
    for (let room = Math.min(maxConcurrent - running.keys().length, maxStarts); room > 0; room -= 1) {
      const lanes = new Set(running.all().map(({ lane }) => lane));
      waiting = waiting.filter(({ work }) => !lanes.has(laneOf(reactor, work)));
      const next = scheduler.next(waiting, running.all());
      if (next === null) return;
      running.start(next.work, next.givenUp);
    }
    // The list may have more that can start.
    if (running.keys().length < maxConcurrent) wakeSignal.wake();
  };
  const round = async (): Promise<void> => {
    for (const key of (await reactor.canceledAmong?.(running.keys())) ?? []) running.abandon(key);
    if (running.keys().length >= maxConcurrent) return;
    await list.read();
    await startWork();
  };
  let hasCaughtUp = false;
  const turn = async (): Promise<void> => {
    if (!hasCaughtUp) hasCaughtUp = await waitUntilCaughtUp(runtime, reactor.list, signal);
    if (!signal.aborted) await round();
  };
  for (let failures = 0; !signal.aborted; ) {
    try {
      await untilAborted(signal, turn());
      failures = 0;
      runtime.lag(name, list.lagSeconds());
      const interval = pollMs ?? (runtime.runsProjections() ? wokenPollMs : usualPollMs);
      await wakeSignal.wait(Math.min(interval, memory.nextRetryMs()), pauseMs);
    } catch (failure) {
      failed(failure, null);
      failures += 1;
      list.noteUnread();
      runtime.lag(name, list.lagSeconds());
      await wakeSignal.pause(backoffMs(failures, retry.initialBackoffMs, retry.maxBackoffMs));
    }
  }
  // Another process may run it now, and has its lag.
  runtime.lag(name, null);
  stopListening();
  if (stopSchedule) stopSchedule();
  await running.stop(finishMs);
}

/** Waits for `work`, but not once `signal` has aborted: a statement on a dead connection may hang for an hour. */
function untilAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const abandon = (): void => resolve();
    signal.addEventListener("abort", abandon, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abandon));
  });
}

async function waitUntilCaughtUp(
  { log, waitForPosition }: ReactorRuntime,
  list: ReadModelGroup,
  signal: AbortSignal,
): Promise<boolean> {
  const head = await log.headPosition();
  for (const group of new Set<ReadModelGroup>([list, "facts"])) {
    while (!signal.aborted && !(await waitForPosition(group, head, caughtUpPollMs)));
  }
  return !signal.aborted;
}
