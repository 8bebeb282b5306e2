import { addFailure, type Failures, isExhausted, type RetryPolicy } from "./retry-policy.ts";

/** What a runner remembers of the work on its list, by the key of the work, as long as it is listed or running. */
export interface WorkMemory {
  /** Forgets work that is neither listed nor running; new work is first seen now. */
  update(listed: ReadonlySet<string>, isRunning: (key: string) => boolean): void;
  /** When the work was first on the list. */
  firstSeen(key: string): number;
  /** Its outcome was recorded: it is ignored for a minute, as a lagging list may still show it. */
  noteRecorded(key: string): void;
  isRecorded(key: string): boolean;
  /** An attempt failed; returns whether no further one is made. */
  noteFailure(key: string): boolean;
  /** Whether the work waits for its next attempt. */
  awaitsRetry(key: string): boolean;
  /** How much work waits for its next attempt. */
  awaitingRetry(): number;
  /** Milliseconds until the next attempt of any work that waits for one; infinite if there is none. */
  nextRetryMs(): number;
}

interface Memory {
  readonly firstSeen: number;
  failures: Failures | null;
  recordedUntil: number;
}

/** Work that is still on the list after this time is done again: an attempt may have read a lagging replica. */
const recheckMs = 60_000;

/** @param now milliseconds of a monotonic clock */
export function createWorkMemory(retry: RetryPolicy, now: () => number): WorkMemory {
  const memories = new Map<string, Memory>();
  const memoryOf = (key: string): Memory => {
    const memory = memories.get(key) ?? { firstSeen: now(), failures: null, recordedUntil: 0 };
    memories.set(key, memory);
    return memory;
  };
  const isWaiting = ({ failures }: Memory): boolean => (failures?.until ?? 0) > now();
  return {
    update: (listed, isRunning) => {
      for (const key of memories.keys()) if (!listed.has(key) && !isRunning(key)) memories.delete(key);
      for (const key of listed) memoryOf(key);
    },
    firstSeen: (key) => memoryOf(key).firstSeen,
    noteRecorded: (key) => {
      memoryOf(key).recordedUntil = now() + recheckMs;
    },
    isRecorded: (key) => memoryOf(key).recordedUntil > now(),
    noteFailure: (key) => {
      const memory = memoryOf(key);
      memory.failures = addFailure(memory.failures, now(), retry);
      return isExhausted(memory.failures, now(), retry);
    },
    awaitsRetry: (key) => isWaiting(memoryOf(key)),
    awaitingRetry: () => [...memories.values()].filter(isWaiting).length,
    nextRetryMs: () => {
      const retries = [...memories.values()].flatMap(({ failures }) => failures?.until ?? []);
      return Math.min(...retries.map((until) => until - now()).filter((ms) => ms > 0));
    },
  };
}
