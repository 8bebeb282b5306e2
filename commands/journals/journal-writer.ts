import { AppendTooLarge, EventLogUnavailable, type EventToAppend } from "../../infra/event-log/event-log.ts";
import type { JournalStream } from "./journal-stream.ts";

export interface JournalWriter<Place> {
  /** Queues events; resolves with the place of the last when all are durable. */
  append(events: readonly EventToAppend[], sizes: readonly number[]): Promise<Place>;
  /** Events queued or in flight. */
  waiting(): number;
  /** Resolves when nothing is queued or in flight. */
  idle(): Promise<void>;
}

export interface BatchLimits {
  readonly mostBatchEvents: number;
  readonly mostBatchBytes: number;
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
  /** When it was queued, as `performance.now()` tells it. */
  readonly since: number;
  readonly call: Call<Place>;
}

/**
 * Writes one journal: one batch in flight, made of what waits when the last one returns. `released` is told of events
 * (and bytes) that wait no longer, written or refused.
 */
export function openJournalWriter<Place>(
  stream: JournalStream<Place>,
  limits: BatchLimits,
  released: (events: number, bytes: number) => void,
): JournalWriter<Place> {
  let queue: Waiting<Place>[] = [];
  let inFlight = 0;
  let mostEvents = limits.mostBatchEvents;
  let working: Promise<void> | null = null;

  function takeBatch(): readonly Waiting<Place>[] {
    let count = 0;
    let bytes = 0;
    for (const { size } of queue) {
      if (count === mostEvents || (count > 0 && bytes + size > limits.mostBatchBytes)) break;
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

  /** What a failed batch means for those in it and behind it. */
  function failed(batch: readonly Waiting<Place>[], error: unknown): void {
    if (error instanceof AppendTooLarge && batch.length > 1) {
      queue.unshift(...batch);
      mostEvents = Math.ceil(batch.length / 2);
      return;
    }
    refuse(batch, error);
    const behind = queue;
    const alsoRefused = (waiting: Waiting<Place>) => error instanceof EventLogUnavailable || waiting.call.refused;
    queue = behind.filter((waiting) => !alsoRefused(waiting));
    refuse(behind.filter(alsoRefused), error);
  }

  function written(batch: readonly Waiting<Place>[], place: Place): void {
    mostEvents = limits.mostBatchEvents;
    released(batch.length, sizeOf(batch));
    for (const { call } of batch) {
      call.unwritten -= 1;
      if (call.unwritten === 0) call.resolve(place);
    }
  }

  async function work(): Promise<void> {
    while (queue.length > 0) {
      const gathering = stream.gathering();
      if (gathering !== null) await gathering;
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
