import type { LogPosition } from "../../../domain/event.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { pause } from "../../waiting.ts";
import type { EngineLogger, LogReader, LogSubscription } from "./log-reader.ts";

/** Called with every event of the log, in order; file chunks come without their bytes. Must not wait or throw. */
export type TailListener = (batch: readonly RecordedEvent[]) => void;

/** The one subscription of a process to the end of the log, shared by everything that follows the log. */
export interface LogTail {
  /** Begins after the current head of the log. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Adds a listener; returns a function that removes it. */
  listen(listener: TailListener): () => void;
  /** Waits until the listeners have been called with everything up to a position (a commit); false after `timeoutMs`. */
  waitForPosition(position: bigint, timeoutMs: number): Promise<boolean>;
}

const resubscribeAfterMs = 500;

export function createLogTail(
  log: Pick<LogReader, "subscribe" | "headPosition">,
  logger: EngineLogger,
  initialListeners: readonly TailListener[] = [],
): LogTail {
  const listeners = new Set<TailListener>(initialListeners);
  const stopping = new AbortController();
  let subscription: LogSubscription | null = null;
  let following: Promise<void> = Promise.resolve();
  let delivered = -1n;
  const waiters = new Set<() => void>();

  const notify = (batch: readonly RecordedEvent[]): void => {
    for (const listener of listeners) {
      try {
        listener(batch);
      } catch (failure) {
        logger.error({ err: failure }, "a listener of the log's tail has failed");
      }
    }
  };

  const follow = async (from: LogPosition | "start"): Promise<void> => {
    let last = from;
    while (!stopping.signal.aborted) {
      try {
        subscription = log.subscribe({ from: last });
        for await (const batch of subscription) {
          notify(batch.map(withoutBytes));
          last = batch.at(-1)?.position ?? last;
          if (last !== "start") delivered = last.commit;
          for (const check of waiters) check();
        }
      } catch (failure) {
        logger.warn({ err: failure }, "the subscription to the log has ended; subscribing again");
      }
      await pause(resubscribeAfterMs, stopping.signal);
    }
  };

  return {
    start: async () => {
      const head = await log.headPosition();
      delivered = head?.commit ?? delivered;
      following = follow(head ?? "start");
    },
    stop: async () => {
      stopping.abort();
      subscription?.close();
      await following;
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    waitForPosition: (position, timeoutMs) => {
      if (delivered >= position) return Promise.resolve(true);
      return new Promise((resolve) => {
        const settle = (hasPassed: boolean): void => {
          clearTimeout(timer);
          waiters.delete(check);
          resolve(hasPassed);
        };
        const timer = setTimeout(settle, timeoutMs, false);
        const check = (): void => {
          if (delivered >= position) settle(true);
        };
        waiters.add(check);
      });
    },
  };
}

const noBytes = new Uint8Array();

/** No read model uses the bytes of files, and the pending events of a group would keep them in memory. */
function withoutBytes(event: RecordedEvent): RecordedEvent {
  return event.type === "FileChunk" ? { ...event, data: noBytes } : event;
}
