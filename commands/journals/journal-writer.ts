import { AppendTooLarge, EventLogUnavailable, type EventToAppend } from "../../infra/event-log/event-log.ts";
import type { JournalStream } from "./journal-stream.ts";

/** Collects the events of one journal, and writes them in order. */
export interface JournalWriter<Place> {
  /** Queues events; resolves with the place of the last when all are durable. */
  append(events: readonly EventToAppend[], sizes: readonly number[]): Promise<Place>;
  /** Events queued or in flight. */
  waiting(): number;
  /** Resolves when nothing is queued or in flight. */
  idle(): Promise<void>;
}

export interface BatchLimits {
  readonly maxBatchEvents: number;
  readonly maxBatchBytes: number;
}

interface Call<Place> {
  unwritten: number;
  refused: boolean;
  resolve(place: Place): void;
  reject(error: unknown): void;
}

interface Waiting<Place> {
  readonly event: EventToAppend;
  readonly size: number;
  /** The `performance.now()` at which it was queued. */
  readonly since: number;
  readonly call: Call<Place>;
}

/**
 * Writes one journal with one batch in flight, made of all events queued when the last one returned. `released` is
 * called with the number of events and bytes that were written or refused.
 */
export function openJournalWriter<Place>(
  stream: JournalStream<Place>,
  limits: BatchLimits,
  released: (events: number, bytes: number) => void,
): JournalWriter<Place> {
  let queue: Waiting<Place>[] = [];
  let inFlight = 0;
  let maxEvents = limits.maxBatchEvents;
  let working: Promise<void> | null = null;

  function takeBatch(): readonly Waiting<Place>[] {
    let count = 0;
    let bytes = 0;
    for (const { size } of queue) {
      if (count === maxEvents || (count > 0 && bytes + size > limits.maxBatchBytes)) break;
      count += 1;
      bytes += size;
    }
    return queue.splice(0, count);
  }

  function refuse(refused: readonly Waiting<Place>[], error: unknown): void {
    for (const { call } of refused) {
      call.refused = true;
      call.reject(error);
    }
    released(refused.length, sizeOf(refused));
  }

  function failed(batch: readonly Waiting<Place>[], error: unknown): void {
    if (error instanceof AppendTooLarge && batch.length > 1) {
      queue.unshift(...batch);
      maxEvents = Math.ceil(batch.length / 2);
      return;
    }
    refuse(batch, error);
    const behind = queue;
    const alsoRefused = (waiting: Waiting<Place>) => error instanceof EventLogUnavailable || waiting.call.refused;
    queue = behind.filter((waiting) => !alsoRefused(waiting));
    refuse(behind.filter(alsoRefused), error);
  }

  function written(batch: readonly Waiting<Place>[], place: Place): void {
    maxEvents = limits.maxBatchEvents;
    released(batch.length, sizeOf(batch));
    for (const { call } of batch) {
      call.unwritten -= 1;
      if (call.unwritten === 0) call.resolve(place);
    }
  }

  async function work(): Promise<void> {
    while (queue.length > 0) {
      const ready = stream.waitForBatch();
      if (ready !== null) await ready;
      const batch = takeBatch();
      inFlight = batch.length;
      try {
        const events = batch.map(({ event }) => event);
        written(batch, await stream.write(events, batch[0]?.since ?? performance.now()));
      } catch (error) {
        failed(batch, error);
      }
      inFlight = 0;
    }
    working = null;
  }

  return {
    append(events, sizes) {
      return new Promise((resolve, reject) => {
        const call: Call<Place> = { unwritten: events.length, refused: false, resolve, reject };
        const since = performance.now();
        for (const [index, event] of events.entries()) queue.push({ event, size: sizes[index] ?? 0, since, call });
        working ??= work();
      });
    },
    waiting: () => queue.length + inFlight,
    idle: async () => working ?? undefined,
  };
}

function sizeOf(waiting: readonly Waiting<unknown>[]): number {
  return waiting.reduce((sum, { size }) => sum + size, 0);
}
