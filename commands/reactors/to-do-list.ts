import type { FairWork } from "./fair-scheduler.ts";
import { type Clocks, laneOf, ownerOf, type Reactor } from "./reactor.ts";
import type { RunningWork } from "./running-work.ts";
import type { WorkMemory } from "./work-memory.ts";

/** Work that can start, or that is given up with `givenUp`. */
interface StartableWork<Work, Outcome> extends FairWork {
  readonly work: Work;
  readonly givenUp: Outcome | null;
}

/** Work that is read beyond the limit of a reactor, because as much work waits for its retry. */
const maxAwaitingRetry = 10_000;

/** The to-do list as it was last read. */
export interface ToDoList<Work, Outcome> {
  read(): Promise<void>;
  /** Notes that the list cannot be read. */
  noteUnread(): void;
  /** Work of the list that can start now, in its order. */
  startable(): Promise<readonly StartableWork<Work, Outcome>[]>;
  /** Whether the list had work that was not runnable. */
  hasBlocked(): boolean;
  /** Age of the oldest work, or of the first failed read since the last successful one if that is longer ago. */
  lagSeconds(): number;
}

export function createToDoList<Work extends FairWork, Outcome>(
  reactor: Reactor<Work, Outcome>,
  memory: WorkMemory,
  running: Pick<RunningWork<Work, Outcome>, "has" | "keys">,
  { now, elapsed }: Clocks,
): ToDoList<Work, Outcome> {
  const { maxOpen, waitMs = Number.POSITIVE_INFINITY } = reactor.limits;
  let open: readonly Work[] = [];
  /** What ran when the list was read, which may show it although it has ended since. */
  let ranMeanwhile: ReadonlySet<string> = new Set();
  /** When, as `elapsed`, the first read failed since the last successful one; null: the last one was. */
  let unreadSince: number | null = null;
  let hasBlocked = false;

  /** Work that neither runs nor is done. Work that may have to be retried keeps later work of its lane waiting. */
  const idleWork = (): readonly Work[] => {
    const blockedLanes = new Set<string>();
    return open.filter((work) => {
      const key = reactor.keyOf(work);
      if (running.has(key) || memory.isRecorded(key)) return false;
      if (ranMeanwhile.has(key) || memory.awaitsRetry(key)) blockedLanes.add(laneOf(reactor, work));
      return !blockedLanes.has(laneOf(reactor, work));
    });
  };

  return {
    read: async () => {
      ranMeanwhile = new Set(running.keys());
      // Work that waits for its retry is listed first, and would take the place of other work.
      open = await reactor.open(maxOpen + Math.min(memory.awaitingRetry(), maxAwaitingRetry));
      unreadSince = null;
      memory.update(new Set(open.map(reactor.keyOf)), running.has);
    },
    noteUnread: () => {
      unreadSince ??= elapsed();
    },
    startable: async () => {
      const idle = idleWork();
      const runnable = (await reactor.runnable?.(idle)) ?? new Set(idle);
      hasBlocked = runnable.size < idle.length;
      return idle.flatMap((work): readonly StartableWork<Work, Outcome>[] => {
        if (runnable.has(work)) return [{ ...ownerOf(work), work, givenUp: null }];
        const hasWaited = elapsed() - memory.firstSeen(reactor.keyOf(work)) >= waitMs;
        const givenUp = hasWaited ? (reactor.giveUp?.(work, "facts_behind") ?? null) : null;
        return givenUp === null ? [] : [{ ...ownerOf(work), work, givenUp }];
      });
    },
    hasBlocked: () => hasBlocked,
    lagSeconds: () => {
      const waited = open.map((work) => {
        const since = reactor.since?.(work);
        return since ? now().getTime() - since.getTime() : elapsed() - memory.firstSeen(reactor.keyOf(work));
      });
      return Math.max(0, elapsed() - (unreadSince ?? elapsed()), ...waited) / 1_000;
    },
  };
}
