import type { ClientReadableStream } from "@grpc/grpc-js";
import { backoffMs } from "../../domain/backoff.ts";
import type { LogPosition } from "../../domain/event.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { decodeContent } from "./codec.ts";
import type { SubscribeOptions, Subscription } from "./event-log.ts";
import { createEventQueue } from "./event-queue.ts";
import { type EventStoreConnection, toLogError } from "./eventstore-connection.ts";
import { readMessage } from "./read-messages.ts";
import { subscribeRequest } from "./read-requests.ts";
import type { StreamNames } from "./stream-names.ts";

interface SubscriptionParts {
  readonly connection: Pick<EventStoreConnection, "read">;
  readonly names: StreamNames;
  readonly headPosition: () => Promise<LogPosition | null>;
  readonly onTrouble: (error: Error) => void;
  /** Interval of the watchdog; 5 s when absent. */
  readonly watchMs?: number;
}

const maxBatch = 1_000;
const firstRetryMs = 50;
/** After an outage, changed links must be served within 2 s (contract/tracking-links.md#durability). */
const maxRetryMs = 1_000;
const defaultWatchMs = 5_000;

/**
 * A catch-up subscription that supervises itself. Received events are queued in order; when the connection breaks, the
 * queue is kept, and the next connection continues after the last event received. So every event is delivered exactly
 * once.
 */
export function subscribeToLog(parts: SubscriptionParts, options: SubscribeOptions): Subscription {
  const { prefix } = parts.names;
  const queue = createEventQueue(options.maxBatch ?? maxBatch);
  /** Position up to which everything was received. */
  let received = options.from;
  let closed = false;
  let call: ClientReadableStream<Buffer> | null = null;
  let failures = 0;
  /** Messages of any kind so far, and at the watchdog's last run on this connection. */
  let messages = 0;
  let lastWatched: number | null = null;
  let retry: NodeJS.Timeout | undefined;
  let wake = () => {};

  const receive = (bytes: Buffer) => {
    const message = readMessage(bytes, parts.names);
    failures = 0;
    messages += 1;
    // Checkpoints are not trusted: servers have sent some beyond events that they had yet to send.
    if (message === null) return;
    received = message.position;
    if (!message.event) return;
    queue.add(decodeContent(message.event), bytes.length);
    if (queue.isFull()) call?.pause();
    wake();
  };

  const connect = async () => {
    try {
      const opened = await parts.connection.read(subscribeRequest(received, prefix), "any node");
      opened.on("error", (error) => lost(opened, error));
      opened.on("end", () => lost(opened, new Error("the server ended the subscription")));
      if (closed) return opened.cancel();
      call = opened;
      lastWatched = null;
      opened.on("data", (bytes: Buffer) => {
        if (call !== opened) return;
        try {
          receive(bytes);
        } catch (error) {
          lost(opened, error);
        }
      });
      if (queue.isFull()) opened.pause();
    } catch (error) {
      lost(null, error);
    }
  };

  const lost = (broken: ClientReadableStream<Buffer> | null, error: unknown) => {
    if (closed || broken !== call) return;
    broken?.cancel();
    call = null;
    const trouble = toLogError(error);
    parts.onTrouble(trouble);
    options.onTrouble?.(trouble);
    failures += 1;
    const delay = backoffMs(failures, firstRetryMs, maxRetryMs);
    retry = setTimeout(connect, delay * (0.75 + Math.random() / 2));
  };

  /** A connection can be dead without an error: the head moves on, but nothing is received. */
  const watch = async () => {
    const watched = call;
    if (watched === null || !queue.isEmpty()) return;
    const [seen, isSuspicious] = [received, messages === lastWatched];
    lastWatched = messages;
    if (!isSuspicious) return;
    const head = await parts.headPosition().catch(() => null);
    if (closed || call !== watched || received !== seen || !queue.isEmpty()) return;
    if (head === null || (seen !== "start" && head.commit <= seen.commit)) return;
    lost(watched, new Error(`nothing was received although the log has grown to ${head.commit}`));
  };
  const watchdog = setInterval(watch, parts.watchMs ?? defaultWatchMs).unref();

  const close = () => {
    if (closed) return;
    closed = true;
    clearTimeout(retry);
    clearInterval(watchdog);
    call?.cancel();
    wake();
  };

  async function* batches(): AsyncGenerator<readonly RecordedEvent[]> {
    try {
      while (!closed) {
        if (queue.isEmpty()) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        const batch = queue.takeBatch();
        if (!queue.holdsWholeBatch()) call?.resume();
        yield batch;
      }
    } finally {
      close();
    }
  }

  connect();
  const iterator = batches();
  return { close, [Symbol.asyncIterator]: () => iterator };
}
