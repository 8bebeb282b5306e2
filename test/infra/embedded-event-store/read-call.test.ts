import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import shared from "@eventstore/db-client/generated/shared_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import { Metadata, type ServerWritableStream } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readCall } from "../../../infra/embedded-event-store/read-call.ts";
import { createReplicas } from "../../../infra/embedded-event-store/replicas.ts";
import { Storage } from "../../../infra/embedded-event-store/storage.ts";
import { Writer } from "../../../infra/embedded-event-store/writer.ts";
import { newStream, temporaryDirectory } from "../event-log/event-log-client.ts";

const { Options } = streams.ReadReq;
const directory = temporaryDirectory();
const storage = new Storage(directory.path);
const replicas = createReplicas(storage, 0);
const count = 1_000;

const reading = suite("embedded event store: a read call");
reading.before(async () => {
  const events = Array.from({ length: count }, () => ({
    id: randomUUID(),
    type: "Thing",
    isJson: true,
    data: Buffer.from("{}"),
    metadata: Buffer.alloc(0),
  }));
  await new Writer(storage, { hasRoomFor: () => true }, () => {}).append(newStream(), "no_stream", events);
});
reading.after(async () => {
  await storage.close();
  await directory.remove();
});

/** A read of the whole log by a client that takes all messages at once; `onMessage` is called for each. */
function readOfAll(prefix: string | null, onMessage: (call: EventEmitter) => void = () => {}) {
  const options = new Options()
    .setAll(new Options.AllOptions().setStart(new shared.Empty()))
    .setCount(String(count))
    .setUuidOption(new Options.UUIDOption().setString(new shared.Empty()));
  const expression = new Options.FilterOptions.Expression().setPrefixList([prefix ?? ""]);
  const filter = new Options.FilterOptions().setStreamIdentifier(expression).setCount(new shared.Empty());
  if (prefix === null) options.setNoFilter(new shared.Empty());
  else options.setFilter(filter);
  let messages = 0;
  const call = Object.assign(new EventEmitter(), {
    ...{ cancelled: false, writableNeedDrain: false, metadata: new Metadata() },
    request: new streams.ReadReq().setOptions(options),
    write: (): boolean => {
      messages += 1;
      onMessage(call);
      return true;
    },
    end: () => void call.emit("over"),
  });
  const over = once(call, "over");
  readCall(replicas)(call as unknown as ServerWritableStream<streams.ReadReq, Buffer>);
  return { over, messages: () => messages };
}

reading("leaves time for others while its filter skips events", async () => {
  let turns = 0;
  let isOver = false;
  const countTurns = (): void => {
    turns += 1;
    if (!isOver) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const { over, messages } = readOfAll("nothing-");
  await over;
  isOver = true;
  assert.is(messages(), 0);
  assert.ok(turns >= 3, `${turns} turns while ${count} events were skipped`);
});

reading("reads no further when its client has gone", async () => {
  let pages = 0;
  const read = storage.eventsFrom.bind(storage);
  storage.eventsFrom = (...range) => {
    pages += 1;
    return read(...range);
  };
  const { over, messages } = readOfAll(null, (call) => call.emit("cancelled"));
  await over;
  storage.eventsFrom = read;
  assert.equal([messages(), pages], [1, 1]);
});

reading.run();
