import { Readable } from "node:stream";
import type { ClientReadableStream } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bytesField } from "../../../infra/event-log/protobuf.ts";
import { maxQueuedBytes, messageBatches } from "../../../infra/event-log/read-messages.ts";

/** A read call to which the server has sent so many messages. */
function callWith(messages: number, message: Buffer = Buffer.alloc(0)) {
  const call = new Readable({ objectMode: true, highWaterMark: messages, read: () => undefined });
  for (let sent = 0; sent < messages; sent += 1) call.push(message);
  let isCanceled = false;
  const cancel = (): void => {
    isCanceled = true;
  };
  const of = Object.assign(call, { cancel }) as unknown as ClientReadableStream<Buffer>;
  return { of, state: () => ({ isPaused: call.isPaused(), isCanceled }) };
}

const connection = { awaitMessage: <Message>(message: Promise<Message>) => message };
const names = { prefix: "", isOwn: () => true };

const reading = suite("a read call");

reading("is paused while a thousand messages are queued", async () => {
  const call = callWith(2_000);
  const batches = messageBatches(call.of, connection, names);
  const { value = [] } = await batches.next();
  assert.equal([value.length, call.state()], [1_000, { isPaused: false, isCanceled: false }]);
  await batches.return(undefined);
});

reading("is paused while 8 MiB are queued, however few messages they are", async () => {
  const confirmation = bytesField(2, Buffer.alloc(maxQueuedBytes / 8));
  const call = callWith(20, confirmation);
  const batches = messageBatches(call.of, connection, names);
  for (const left of [12, 4]) {
    const { value = [] } = await batches.next();
    assert.equal([value.length, call.of.readableLength], [8, left]);
  }
  await batches.return(undefined);
});

reading("that is left while it is paused is resumed, so that it can end, and canceled", async () => {
  const call = callWith(2_000);
  const batches = messageBatches(call.of, connection, names);
  await batches.next();
  call.of.pause();
  await batches.return(undefined);
  assert.equal(call.state(), { isPaused: false, isCanceled: true });
});

reading.run();
