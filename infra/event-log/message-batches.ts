import type { ClientReadableStream } from "@grpc/grpc-js";
import { inTime, toLogError } from "./eventstore-connection.ts";
import { type ReadMessage, readMessage } from "./read-messages.ts";

/** What waits is held back beyond so many messages, or so many bytes of them: events can be of up to 1 MiB each. */
const ENOUGH_MESSAGES = 1_000;
export const ENOUGH_BYTES = 8 * 1024 * 1024;

/**
 * The messages of one read call, in batches of what is waiting, until the server ends it. Holds about a thousand
 * messages or 8 MiB at most; the server waits meanwhile. Throws as `toLogError` says, also when the next message takes longer
 * than `deadlineMs`. Leaving the loop cancels the call.
 */
export async function* messageBatches(
  call: ClientReadableStream<Buffer>,
  deadlineMs: number,
): AsyncGenerator<readonly ReadMessage[]> {
  let waiting: ReadMessage[] = [];
  let waitingBytes = 0;
  let failure: Error | null = null;
  let ended = false;
  let wake = () => {};
  const fail = (error: unknown) => {
    failure ??= toLogError(error);
    wake();
  };
  call.on("data", (bytes: Buffer) => {
    try {
      waiting.push(readMessage(bytes));
      waitingBytes += bytes.length;
    } catch (error) {
      fail(error);
    }
    if (waiting.length >= ENOUGH_MESSAGES || waitingBytes >= ENOUGH_BYTES) call.pause();
    wake();
  });
  call.on("error", fail);
  call.on("end", () => {
    ended = true;
    wake();
  });
  try {
    while (true) {
      if (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        waitingBytes = 0;
        call.resume();
        yield batch;
      } else if (failure) throw failure;
      else if (ended) return;
      else {
        const change = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await inTime(change, deadlineMs);
      }
    }
  } finally {
    call.cancel();
  }
}
