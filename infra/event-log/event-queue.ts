import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { maxQueuedBytes } from "./read-messages.ts";

/** Events of a subscription that were received and not taken yet, in order. */
interface EventQueue {
  /** `bytes` is the size of the event's message. */
  add(event: RecordedEvent, bytes: number): void;
  isEmpty(): boolean;
  /** Whether it holds two batches, or too many bytes: then no more should be received. */
  isFull(): boolean;
  /** Whether the next batch has as many events as a batch can have. */
  holdsWholeBatch(): boolean;
  takeBatch(): readonly RecordedEvent[];
}

/** @param maxBatch maximum events of a batch */
export function createEventQueue(maxBatch: number): EventQueue {
  let waiting: RecordedEvent[] = [];
  /** Bytes of each message in the queue, and their sum. */
  let sizes: number[] = [];
  let waitingBytes = 0;

  return {
    add(event, bytes) {
      waiting.push(event);
      sizes.push(bytes);
      waitingBytes += bytes;
    },
    isEmpty: () => waiting.length === 0,
    isFull: () => waiting.length >= 2 * maxBatch || waitingBytes >= maxQueuedBytes,
    holdsWholeBatch: () => waiting.length >= maxBatch,
    takeBatch() {
      const batch = waiting.length <= maxBatch ? waiting : waiting.slice(0, maxBatch);
      waiting = waiting.length <= maxBatch ? [] : waiting.slice(maxBatch);
      waitingBytes -= sizes.slice(0, batch.length).reduce((sum, size) => sum + size, 0);
      sizes = sizes.slice(batch.length);
      return batch;
    },
  };
}
