import { within } from "../../infra/process/time-limit.ts";
import { inBatchSpan } from "../../infra/tracing/span.ts";
import type { FairWork } from "./fair-scheduler.ts";
import { type Attempt, laneOf, ownerOf, type Reactor } from "./reactor.ts";
import type { WakeSignal } from "./wake-signal.ts";
import type { WorkMemory } from "./work-memory.ts";

interface Running extends FairWork {
  readonly lane: string;
  readonly abandon: AbortController;
  readonly over: Promise<void>;
}

/** Work in progress, by its key. */
export interface RunningWork<Work, Outcome> {
  /** Does the work, or records that it is given up with `givenUp`; wakes the reactor when that is over. */
  start(work: Work, givenUp: Outcome | null): void;
  has(key: string): boolean;
  keys(): readonly string[];
  all(): readonly Running[];
  /** Aborts the attempt at canceled work. */
  abandon(key: string): void;
  /** Aborts work that still runs after `finishMs`; after 2 s it is left to the next leader. */
  stop(finishMs: number): Promise<void>;
}

const stopWithinMs = 2_000;

/** @param failed called with every failure, and the key of its work */
export function createRunningWork<Work extends FairWork, Outcome>(
  reactor: Reactor<Work, Outcome>,
  epoch: bigint,
  memory: WorkMemory,
  wakeSignal: WakeSignal,
  failed: (failure: unknown, key: string) => void,
): RunningWork<Work, Outcome> {
  const { restFactor = 0 } = reactor.limits;
  const running = new Map<string, Running>();

  const record = async (work: Work, outcome: Outcome, attempt: Attempt): Promise<void> => {
    if (await reactor.record(work, outcome, attempt)) memory.noteRecorded(reactor.keyOf(work));
  };
  const attemptOnce = async (work: Work, givenUp: Outcome | null, attempt: Attempt): Promise<void> => {
    const since = performance.now();
    const outcome = givenUp ?? (await reactor.act(work, attempt));
    if (outcome !== null) await record(work, outcome, attempt);
    await wakeSignal.pause(restFactor * (performance.now() - since));
  };
  const noteFailure = async (work: Work, failure: unknown, attempt: Attempt): Promise<void> => {
    if (attempt.signal.aborted) return;
    const key = reactor.keyOf(work);
    failed(failure, key);
    if (!memory.noteFailure(key)) return;
    const givenUp = reactor.giveUp?.(work, "internal_error") ?? null;
    if (givenUp !== null) await record(work, givenUp, attempt);
  };

  return {
    start: (work, givenUp) => {
      const [key, abandon] = [reactor.keyOf(work), new AbortController()];
      const attempt = { signal: abandon.signal, epoch };
      const tracesOf = () => reactor.tracesOf?.(work) ?? [];
      const over = inBatchSpan(`reactor ${reactor.name}`, tracesOf, () => attemptOnce(work, givenUp, attempt))
        .catch((failure: unknown) => noteFailure(work, failure, attempt))
        .catch((failure: unknown) => failed(failure, key))
        .finally(() => {
          running.delete(key);
          wakeSignal.wake();
        });
      running.set(key, { ...ownerOf(work), lane: laneOf(reactor, work), abandon, over });
    },
    has: (key) => running.has(key),
    keys: () => [...running.keys()],
    all: () => [...running.values()],
    abandon: (key) => running.get(key)?.abandon.abort(),
    stop: async (finishMs) => {
      const left = [...running.values()];
      const allOver = Promise.allSettled(left.map(({ over }) => over));
      await within(finishMs, allOver).catch(() => undefined);
      for (const { abandon } of left) abandon.abort();
      await within(stopWithinMs - finishMs, allOver).catch(() => undefined);
    },
  };
}
