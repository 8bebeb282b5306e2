import type { LogPosition } from "../../../domain/event.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { pause } from "./backoff.ts";
import type { EngineLog, LogReader, LogSubscription } from "./log-reader.ts";

/** Hears of every event of the log, in order, of bytes only that there were some; must neither wait nor throw. */
export type TailListener = (batch: readonly RecordedEvent[]) => void;

export interface Tail {
  /** Begins with the next event after the log's head of now. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Adds a listener; what it answers takes it off again. */
  listen(listener: TailListener): () => void;
}

const resubscribeAfterMs = 500;

/** The one subscription to the whole log that a process has, shared by everything that follows it. */
export function createTail(
  log: Pick<LogReader, "subscribe" | "headPosition">,
  engineLog: EngineLog,
  listeners: readonly TailListener[] = [],
): Tail {
  const listening = new Set<TailListener>(listeners);
  const stopping = new AbortController();
  let subscription: LogSubscription | null = null;
  let following: Promise<void> = Promise.resolve();

  const tell = (batch: readonly RecordedEvent[]): void => {
    for (const listener of listening) {
      try {
        listener(batch);
      } catch (failure) {
        engineLog.error({ err: failure }, "a listener of the log's tail has failed");
      }
    }
  };

  const follow = async (from: LogPosition | "start"): Promise<void> => {
    let last = from;
    while (!stopping.signal.aborted) {
      try {
        subscription = log.subscribe({ from: last });
        for await (const batch of subscription) {
          tell(batch.map(withoutBytes));
          last = batch.at(-1)?.position ?? last;
        }
      } catch (failure) {
        engineLog.warn({ err: failure }, "the subscription to the log has ended; subscribing again");
      }
      await pause(resubscribeAfterMs, stopping.signal);
    }
  };

  return {
    start: async () => {
      following = follow((await log.headPosition()) ?? "start");
    },
    stop: async () => {
      stopping.abort();
      subscription?.close();
      await following;
    },
    listen: (listener) => {
      listening.add(listener);
      return () => listening.delete(listener);
    },
  };
}

const noBytes = new Uint8Array();

/** Nothing in a read model comes from a file's bytes, and whoever is behind would hold them in memory. */
function withoutBytes(event: RecordedEvent): RecordedEvent {
  return event.type === "FileChunk" ? { ...event, data: noBytes } : event;
}
