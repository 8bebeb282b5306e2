import type { ClientReadableStream } from "@grpc/grpc-js";
import type { LogPosition, RecordedEvent } from "../../domain/event.ts";
import type { Upcasters } from "./codec.ts";
import type { SubscribeOptions, Subscription } from "./event-log.ts";
import { type EventStoreConnection, toLogError } from "./eventstore-connection.ts";
import { ENOUGH_BYTES, readMessage } from "./read-messages.ts";
import { subscribeRequest } from "./read-requests.ts";

interface SubscriptionParts {
  readonly connection: Pick<EventStoreConnection, "read">;
  readonly upcasters: Upcasters;
  readonly headPosition: () => Promise<LogPosition | null>;
  readonly onTrouble: (error: Error) => void;
  /** How often the subscription is compared with the head; 5 s when absent. */
  readonly watchMs?: number;
}

const MAX_BATCH = 1_000;
const FIRST_RETRY_MS = 50;
/** Links changed when the store is back are to be served changed within 2 s (contract/tracking-links.md#durability). */
const LONGEST_RETRY_MS = 1_000;
const WATCH_MS = 5_000;

/**
 * A catch-up subscription that supervises itself. What has come in waits in order; when the connection breaks, what
 * waits stays good, and the next connection goes on behind the last event that came in. So nothing is lost, and
 * nothing comes twice.
 */
export function subscribeToLog(parts: SubscriptionParts, options: SubscribeOptions): Subscription {
  const maxBatch = options.maxBatch ?? MAX_BATCH;
  const enoughWaiting = 2 * maxBatch;
  let waiting: RecordedEvent[] = [];
  /** Bytes that each of them came in, and all together. */
  let sizes: number[] = [];
  let waitingBytes = 0;
  /** Everything at or below has come in. */
  let received = options.from;
  /** The server has said that there is nothing more, at present. */
  let live = false;
  /** How far the server has looked for a filtered subscription, not yet told. */
  let checkpoint: LogPosition | null = null;
  let toldCaughtUp = false;
  let closed = false;
  let call: ClientReadableStream<Buffer> | null = null;
  let failures = 0;
  /** What had come in over this connection when it was last compared with the head. */
  let lastSeen: LogPosition | "start" | null = null;
  let retry: NodeJS.Timeout | undefined;
  let wake = () => {};

  const isEnoughWaiting = (): boolean => waiting.length >= enoughWaiting || waitingBytes >= ENOUGH_BYTES;

  const takeBatch = (): readonly RecordedEvent[] => {
    const batch = waiting.length <= maxBatch ? waiting : waiting.slice(0, maxBatch);
    waiting = waiting.length <= maxBatch ? [] : waiting.slice(maxBatch);
    waitingBytes -= sizes.slice(0, batch.length).reduce((sum, size) => sum + size, 0);
    sizes = sizes.slice(batch.length);
    return batch;
  };

  const receive = (bytes: Buffer) => {
    const message = readMessage(bytes, parts.upcasters);
    failures = 0;
    if (message.kind === "event") {
      received = message.position;
      if (!message.event) return;
      waiting.push(message.event);
      sizes.push(bytes.length);
      waitingBytes += bytes.length;
      toldCaughtUp = false;
      if (isEnoughWaiting()) call?.pause();
    } else if (message.kind === "checkpoint") {
      received = message.position;
      checkpoint = message.position;
      toldCaughtUp = false;
    } else if (message.kind === "caught_up") live = true;
    else if (message.kind === "fell_behind") live = false;
    wake();
  };

  const connect = async () => {
    try {
      const opened = await parts.connection.read(subscribeRequest(received, options.streamPrefixes));
      opened.on("error", (error) => lost(opened, error));
      opened.on("end", () => lost(opened, new Error("the server ended the subscription")));
      if (closed) return opened.cancel();
      call = opened;
      lastSeen = null;
      opened.on("data", (bytes: Buffer) => {
        if (call !== opened) return;
        try {
          receive(bytes);
        } catch (error) {
          lost(opened, error);
        }
      });
      if (isEnoughWaiting()) opened.pause();
    } catch (error) {
      lost(null, error);
    }
  };

  const lost = (broken: ClientReadableStream<Buffer> | null, error: unknown) => {
    if (closed || broken !== call) return;
    broken?.cancel();
    call = null;
    live = false;
    parts.onTrouble(toLogError(error));
    const delay = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
    failures += 1;
    retry = setTimeout(connect, delay * (0.75 + Math.random() / 2));
  };

  /** A connection can be dead without an error: then the head moves on and nothing comes in. */
  const watch = async () => {
    if (call === null || waiting.length > 0) return;
    const seen = received;
    const suspicious = seen === lastSeen;
    lastSeen = seen;
    const head = await parts.headPosition().catch(() => null);
    if (closed || received !== seen || waiting.length > 0) return;
    if (head === null || (seen !== "start" && head.commit <= seen.commit)) {
      // Servers before 23.10 do not say when a subscription has caught up.
      live = true;
      wake();
    } else if (suspicious && options.streamPrefixes === undefined) {
      lost(call, new Error(`nothing came in although the log goes on to ${head.commit}`));
    }
  };
  const watchdog = setInterval(watch, parts.watchMs ?? WATCH_MS).unref();

  const close = () => {
    if (closed) return;
    closed = true;
    clearTimeout(retry);
    clearInterval(watchdog);
    options.signal?.removeEventListener("abort", close);
    call?.cancel();
    wake();
  };

  async function* batches(): AsyncGenerator<readonly RecordedEvent[]> {
    try {
      while (!closed) {
        if (waiting.length > 0) {
          const batch = takeBatch();
          if (waiting.length < maxBatch) call?.resume();
          yield batch;
          continue;
        }
        if (checkpoint !== null) {
          options.onCheckpoint?.(checkpoint);
          checkpoint = null;
        }
        if (live && !toldCaughtUp) {
          toldCaughtUp = true;
          options.onCaughtUp?.();
        }
        if (closed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      close();
    }
  }

  options.signal?.addEventListener("abort", close, { once: true });
  if (options.signal?.aborted) close();
  else connect();
  const iterator = batches();
  return { close, [Symbol.asyncIterator]: () => iterator };
}
