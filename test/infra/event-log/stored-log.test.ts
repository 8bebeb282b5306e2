import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventResponse } from "../../../infra/embedded-event-store/read-responses.ts";
import { encodeStoredEvent } from "../../../infra/embedded-event-store/stored-event.ts";
import { createStoredLog } from "../../../infra/event-log/stored-log.ts";
import { streamsOfInstance } from "../../../infra/event-log/stream-names.ts";

const own = "app-1";
const foreign = "order-1";

/** A stored log whose reads return what `store` has, newest first; each is an event's stream and position. */
function logOf(store: () => readonly (readonly [stream: string, position: number])[]) {
  const connection = {
    connectionString: "esdb://localhost:1?tls=false",
    username: "",
    password: "",
    deadlineMs: 1_000,
  };
  const log = createStoredLog({ ...connection, names: streamsOfInstance("") });
  const messageOf = ([stream, position]: readonly [string, number]): Buffer => {
    const empty = Buffer.from("{}");
    const event = { id: randomUUID(), type: "Thing", isJson: true, data: empty, metadata: empty };
    return eventResponse(encodeStoredEvent(event, Buffer.from(stream), 0, position, Buffer.from("0")), position);
  };
  log.connection.read = async () => Object.assign(Readable.from(store().map(messageOf)), { cancel() {} }) as never;
  return log;
}

const heads = suite("the head of the streams of an instance");

heads("is searched anew when the log has become shorter, as after its restore", async () => {
  let store: readonly (readonly [string, number])[] = [
    [foreign, 100],
    [own, 50],
  ];
  const log = logOf(() => store);
  const head = async (): Promise<bigint | undefined> => (await log.headPosition())?.commit;
  assert.is(await head(), 50n);
  store = [[foreign, 110], ...store];
  assert.is(await head(), 50n);
  store = [
    [foreign, 60],
    [foreign, 45],
    [own, 40],
  ];
  assert.is(await head(), 40n);
  await log.close();
});

heads.run();
