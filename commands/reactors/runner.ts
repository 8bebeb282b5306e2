import { backoffMs } from "../../domain/backoff.ts";
import type { LogPosition } from "../../domain/event.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { within } from "../../infra/process/time-limit.ts";
import { inBatchSpan } from "../../infra/tracing/span.ts";
import { createFairScheduler, type FairWork } from "./fair-scheduler.ts";
import type { Attempt, ListGroup, Reactor } from "./reactor.ts";
import { createWakeSignal } from "./wake-signal.ts";
import { createWorkMemory } from "./work-memory.ts";

/** The environment of reactors. */
export interface ReactorRuntime {
  /** Does `work` whenever this process holds `role`, until `stop` aborts. */
  runAsLeader(role: string, stop: AbortSignal, work: (held: Attempt) => Promise<void>): Promise<void>;
  readonly log: Pick<EventLog, "headPosition">;
  /** Whether a group's read models have passed a position, within `timeoutMs`. */
  waitForPosition(group: ListGroup, position: LogPosition | null, timeoutMs: number): Promise<boolean>;
  /** Calls `listener` after every commit of the projections; returns a function that removes it. */
  onCommit(listener: (group: string, events: readonly RecordedEvent[]) => void): () => void;
  /** Calls `listener` by a cron expression; returns a function that removes it. */
  onSchedule(expression: string, listener: () => void): () => void;
  /** Called with every failure, after which the reactor continues. `key` is null unless a piece of work has failed. */
  failed(failure: unknown, reactor: string, key: string | null): void;
  /** Called with the age of the oldest work on the list after every read of it. */
  lag(reactor: string, seconds: number): void;
  now(): Date;
}

/** Work that can start, or that is given up with `outcome`. */
interface Waiting<Work, Outcome> extends FairWork {
  readonly work: Work;
  readonly givenUp: Outcome | null;
}

interface Running extends FairWork {
  readonly lane: string;
  readonly abandon: AbortController;
  readonly over: Promise<void>;
}

const [stopWithinMs, caughtUpPollMs] = [2_000, 1_000];

/** A reactor of any kind of work. */
export interface RunnableReactor {
  readonly role: string;
  run(runtime: ReactorRuntime, held: Attempt): Promise<void>;
}

export function runnableReactor<Work extends FairWork, Outcome>(reactor: Reactor<Work, Outcome>): RunnableReactor {
  return { role: reactor.role, run: (runtime, held) => runReactor(reactor, runtime, held) };
}

/** Runs reactors under their roles until `stop` aborts. */
export async function runReactors(
  reactors: readonly RunnableReactor[],
  runtime: ReactorRuntime,
  stop: AbortSignal,
): Promise<void> {
  const roles = new Set(reactors.map(({ role }) => role));
  const run = (role: string) =>
    runtime.runAsLeader(role, stop, async (held) => {
      await Promise.all(reactors.filter((one) => one.role === role).map((one) => one.run(runtime, held)));
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
  { epoch, signal }: Attempt,
): Promise<void> {
  const { name, retry, limits } = reactor;
  const { concurrent, pollMs = 500, pauseMs = 0, waitMs = Number.POSITIVE_INFINITY, finishMs = 0, rest = 0 } = limits;
  const scheduler = createFairScheduler();
  const wakeSignal = createWakeSignal(signal);
  const running = new Map<string, Running>();
  const now = (): number => runtime.now().getTime();
  const memory = createWorkMemory(retry, now);
  let open: readonly Work[] = [];
  /** Since when the list could not be read. */
  let unreadSince: number | null = null;
  /** Whether the list had work that was not runnable when it was last read. */
  let hasBlocked = false;
  const stopListening = runtime.onCommit((group, events) => {
    const mayRunNow = group === "facts" && hasBlocked;
    const mayHaveMore = group === reactor.list && events.some((event) => reactor.adds(event));
    if (mayRunNow || mayHaveMore) wakeSignal.wake();
  });
  const stopSchedule = reactor.schedule && runtime.onSchedule(reactor.schedule, wakeSignal.wake);

  const record = async (work: Work, outcome: Outcome, attempt: Attempt): Promise<void> => {
    if (await reactor.record(work, outcome, attempt)) memory.noteRecorded(reactor.keyOf(work));
  };
  const attemptOnce = async (work: Work, givenUp: Outcome | null, attempt: Attempt): Promise<void> => {
    const since = performance.now();
    const outcome = givenUp ?? (await reactor.act(work, attempt));
    if (outcome !== null) await record(work, outcome, attempt);
    await wakeSignal.pause(rest * (performance.now() - since));
  };
  const noteFailure = async (work: Work, failure: unknown, attempt: Attempt): Promise<void> => {
    if (attempt.signal.aborted) return;
    const key = reactor.keyOf(work);
    runtime.failed(failure, name, key);
    if (!memory.noteFailure(key)) return;
    const givenUp = reactor.giveUp?.(work, "internal_error") ?? null;
    if (givenUp !== null) await record(work, givenUp, attempt);
  };
  const start = (work: Work, givenUp: Outcome | null): void => {
    const [key, abandon] = [reactor.keyOf(work), new AbortController()];
    const attempt = { signal: abandon.signal, epoch };
    const tracesOf = () => reactor.tracesOf?.(work) ?? [];
    const over = inBatchSpan(`reactor ${name}`, tracesOf, () => attemptOnce(work, givenUp, attempt))
      .catch((failure: unknown) => noteFailure(work, failure, attempt))
      .catch((failure: unknown) => runtime.failed(failure, name, key))
      .finally(() => {
        running.delete(key);
        wakeSignal.wake();
      });
    running.set(key, { ...ownerOf(work), lane: laneOf(work), abandon, over });
  };
  const laneOf = (work: Work): string => reactor.laneOf?.(work) ?? reactor.keyOf(work);

  const readList = async (): Promise<void> => {
    open = await reactor.open(limits.open);
    unreadSince = null;
    memory.update(new Set(open.map(reactor.keyOf)), (key) => running.has(key));
  };
  /** Work that can start now. Work that waits for its retry keeps later work of its lane waiting. */
  const idleWork = (): readonly Work[] => {
    const blockedLanes = new Set<string>();
    return open.filter((work) => {
      const key = reactor.keyOf(work);
      if (running.has(key) || memory.isRecorded(key)) return false;
      if (memory.awaitsRetry(key)) blockedLanes.add(laneOf(work));
      return !blockedLanes.has(laneOf(work));
    });
  };
  const startWork = async (idle = idleWork()): Promise<void> => {
    const runnable = (await reactor.runnable?.(idle)) ?? new Set(idle);
    hasBlocked = runnable.size < idle.length;
    let waiting = idle.flatMap((work): Waiting<Work, Outcome>[] => {
      if (runnable.has(work)) return [{ ...ownerOf(work), work, givenUp: null }];
      const hasWaited = now() - memory.firstSeen(reactor.keyOf(work)) >= waitMs;
      const givenUp = hasWaited ? (reactor.giveUp?.(work, "facts_behind") ?? null) : null;
      return givenUp === null ? [] : [{ ...ownerOf(work), work, givenUp }];
    });
    for (let room = Math.min(concurrent - running.size, limits.starts ?? concurrent); room > 0; room -= 1) {
      const lanes = new Set([...running.values()].map(({ lane }) => lane));
      waiting = waiting.filter(({ work }) => !lanes.has(laneOf(work)));
      const next = scheduler.next(waiting, [...running.values()]);
      if (next === null) return;
      start(next.work, next.givenUp);
    }
    // The list may have more that can start.
    if (running.size < concurrent) wakeSignal.wake();
  };
  const round = async (): Promise<void> => {
    for (const key of (await reactor.canceledAmong?.([...running.keys()])) ?? []) running.get(key)?.abandon.abort();
    if (running.size >= concurrent) return;
    await readList();
    await startWork();
  };
  const reportLag = (): void => {
    const since = open.map((work) => reactor.since?.(work).getTime() ?? memory.firstSeen(reactor.keyOf(work)));
    runtime.lag(name, (now() - Math.min(unreadSince ?? now(), ...since)) / 1_000);
  };
  let hasCaughtUp = false;
  for (let failures = 0; !signal.aborted; ) {
    try {
      if (!hasCaughtUp) hasCaughtUp = await waitUntilCaughtUp(runtime, reactor.list, signal);
      if (!signal.aborted) await round();
      failures = 0;
      reportLag();
      await wakeSignal.wait(Math.min(pollMs, memory.nextRetryMs()), pauseMs);
    } catch (failure) {
      runtime.failed(failure, name, null);
      failures += 1;
      unreadSince ??= now();
      reportLag();
      await wakeSignal.pause(backoffMs(failures, retry.initialBackoffMs, retry.maxBackoffMs));
    }
  }
  stopListening();
  if (stopSchedule) stopSchedule();
  await stopRunning([...running.values()], finishMs);
}

function ownerOf({ appId, requestedBy = null }: FairWork): FairWork {
  return { appId, requestedBy };
}

async function waitUntilCaughtUp(
  { log, waitForPosition }: ReactorRuntime,
  list: ListGroup,
  signal: AbortSignal,
): Promise<boolean> {
  const head = await log.headPosition();
  for (const group of new Set<ListGroup>([list, "facts"])) {
    while (!signal.aborted && !(await waitForPosition(group, head, caughtUpPollMs)));
  }
  return !signal.aborted;
}

/** Aborts work that still runs after `finishMs`; after 2 s it is left to the next holder of the role. */
async function stopRunning(running: readonly Running[], finishMs: number): Promise<void> {
  const allOver = Promise.allSettled(running.map(({ over }) => over));
  await within(finishMs, allOver).catch(() => undefined);
  for (const { abandon } of running) abandon.abort();
  await within(stopWithinMs - finishMs, allOver).catch(() => undefined);
}
