import { setTimeout as pause } from "node:timers/promises";
import { backoffMs } from "../../domain/backoff.ts";
import { type ScorerProcess, ScorerUnavailable, startScorerProcess } from "./scorer-process.ts";

/** One process at a time that models run in. It starts when it is needed first, and again after it has ended. */
export interface SupervisedProcess {
  /** The process that runs; null: none. */
  current(): ScorerProcess | null;
  /**
   * The process that runs, or a new one.
   * @throws {ScorerUnavailable} when it does not start, or {@link close} was called
   */
  running(): Promise<ScorerProcess>;
  /** Notes that the process works: the first start after it ends has no backoff. */
  noteSuccess(): void;
  isClosed(): boolean;
  close(): Promise<void>;
}

/** Before the second start in a row; doubled by each further one. */
const initialBackoffMs = 100;
const maxBackoffMs = 5_000;

/** Supervises a process that is not started yet; calls `ended` when it ends by itself. `scorer.ts` ends one that hangs. */
export function superviseProcess(ended: (failure: ScorerUnavailable) => void): SupervisedProcess {
  let child: ScorerProcess | null = null;
  let starting: Promise<ScorerProcess> | null = null;
  let isClosed = false;
  /** Ends of the process since the last success. */
  let failures = 0;
  let restartAt = 0;

  const noteEnd = (how: string): void => {
    child = null;
    if (isClosed) return;
    failures += 1;
    const backoff = failures === 1 ? 0 : backoffMs(failures - 1, initialBackoffMs, maxBackoffMs);
    restartAt = performance.now() + backoff;
    ended(new ScorerUnavailable(`The scorer ${how}`));
  };
  const start = async (): Promise<ScorerProcess> => {
    const delay = restartAt - performance.now();
    if (delay > 0) await pause(delay);
    if (isClosed) throw new ScorerUnavailable("The scorer is closed");
    const started = startScorerProcess();
    child = started;
    void started.ended.then(noteEnd);
    return started;
  };

  return {
    current: () => child,
    running: async () => {
      if (child !== null) return child;
      starting ??= start().finally(() => {
        starting = null;
      });
      return starting;
    },
    noteSuccess: () => {
      failures = 0;
    },
    isClosed: () => isClosed,
    close: async () => {
      isClosed = true;
      await starting?.catch(() => {});
      const last = child;
      last?.kill();
      await last?.ended;
    },
  };
}
