import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { ServerWritableStream } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventResponses } from "../../../infra/embedded-event-store/read-responses.ts";
import { createReplicas } from "../../../infra/embedded-event-store/replicas.ts";
import { MessageSender } from "../../../infra/embedded-event-store/slow-clients.ts";
import { Storage } from "../../../infra/embedded-event-store/storage.ts";
import { subscribeToAll, subscribeToStream } from "../../../infra/embedded-event-store/subscriptions.ts";
import { Writer } from "../../../infra/embedded-event-store/writer.ts";
import { errorOf, newStream, temporaryDirectory } from "../event-log/event-log-client.ts";

const directory = temporaryDirectory();
const storage = new Storage(directory.path);
const { leader, committed } = createReplicas(storage, 0);
const writer = new Writer(storage, { hasRoomFor: () => true }, committed);
const responseTo = eventResponses(leader, { textIds: true, resolveLinks: false });

const subscriptions = suite("embedded event store: subscriptions");
subscriptions.after(async () => {
  await storage.close();
  await directory.remove();
});

const append = (stream: string, count: number) =>
  writer.append(
    stream,
    "any",
    Array.from({ length: count }, () => ({
      id: randomUUID(),
      type: "Thing",
      isJson: true,
      data: Buffer.from("{}"),
      metadata: Buffer.alloc(0),
    })),
  );

/** The client of a subscription; a slow one takes a message, and the next after `drain`. */
function startClient({ isSlow = false } = {}) {
  const received: (number | string)[] = [];
  let notify = () => {};
  const call = Object.assign(new EventEmitter(), {
    cancelled: false,
    writableNeedDrain: isSlow,
    write(bytes: Buffer): boolean {
      const message = streams.ReadResp.deserializeBinary(bytes);
      const event = message.getEvent()?.getEvent();
      if (event) received.push(Number(event.getStreamRevision()));
      if (message.hasCheckpoint()) received.push(`checkpoint ${message.getCheckpoint()?.getCommitPosition()}`);
      if (message.hasCaughtUp()) received.push("caught up");
      notify();
      return !call.writableNeedDrain;
    },
  });
  const when = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      notify = () => {
        if (condition()) resolve();
      };
      notify();
    });
  return {
    sender: new MessageSender(call as unknown as ServerWritableStream<unknown, Buffer>),
    received,
    drain() {
      call.writableNeedDrain = false;
      call.emit("drain");
    },
    /** Resolves when so many messages have arrived, except the confirmation. */
    until: (count: number) => when(() => received.length >= count),
    caughtUp: () => when(() => received.at(-1) === "caught up"),
    leave: () => void call.emit("close"),
  };
}

subscriptions("to a stream have what was appended while they sent to a slow client", async () => {
  const stream = newStream();
  await append(stream, 2);
  const { sender, received, drain, until, leave } = startClient({ isSlow: true });
  const subscribed = subscribeToStream(leader, sender, { name: stream, from: -1, responseTo });
  await until(1);
  await append(stream, 2);
  assert.equal(received, [0]);
  drain();
  await until(5);
  assert.equal(received, [0, 1, 2, 3, "caught up"]);
  leave();
  await subscribed;
});

subscriptions("to a stream that is closed while they send to a slow client end as closed", async () => {
  const stream = newStream();
  await append(stream, 2);
  const { sender, received, drain, until, leave } = startClient({ isSlow: true });
  const subscribed = errorOf(subscribeToStream(leader, sender, { name: stream, from: -1, responseTo }));
  await until(1);
  await writer.tombstone(stream, 1, randomUUID());
  drain();
  // One that waits for the next append to the stream would wait for ever.
  until(3).then(leave);
  assert.match(String(await subscribed), `Event stream '${stream}' is deleted.`);
  assert.equal(received, [0, 1]);
});

subscriptions("from beyond the end have only what follows the place that they name", async () => {
  const stream = newStream();
  await append(stream, 2);
  const [ofStream, ofAll] = [startClient(), startClient()];
  const subscribed = [
    subscribeToStream(leader, ofStream.sender, { name: stream, from: 3, responseTo }),
    subscribeToAll(leader, ofAll.sender, { from: storage.head + 2, filter: null, responseTo }),
  ];
  await append(stream, 1);
  await append(stream, 3);
  await Promise.all([ofStream.until(3), ofAll.until(3)]);
  assert.equal([ofStream.received, ofAll.received], Array(2).fill(["caught up", 4, 5]));
  for (const { leave } of [ofStream, ofAll]) leave();
  await Promise.all(subscribed);
});

subscriptions("with a filter say how far they are when they have caught up, even if it accepts nothing", async () => {
  await append(newStream(), 3);
  const { sender, received, caughtUp, leave } = startClient();
  const filter = { accepts: () => false, checkpointInterval: 1_000_000 };
  const subscribed = subscribeToAll(leader, sender, { from: 0, filter, responseTo });
  await caughtUp();
  assert.equal(received, [`checkpoint ${storage.head}`, "caught up"]);
  leave();
  await subscribed;
});

subscriptions("with a filter leave time for others, however many events it skips", async () => {
  await append(newStream(), 1_000);
  const { sender, caughtUp, leave } = startClient();
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const filter = { accepts: () => false, checkpointInterval: 1_000_000 };
  const subscribed = subscribeToAll(leader, sender, { from: 0, filter, responseTo });
  await caughtUp();
  isOver = true;
  assert.ok(turns >= 3, `${turns} turns while 1,000 events were skipped`);
  leave();
  await subscribed;
});

subscriptions.run();
