// time limit: 30 s
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { EventStoreDBClient } from "@eventstore/db-client";
import streamsContract from "@eventstore/db-client/generated/streams_grpc_pb.js";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import { Metadata, Server, ServerCredentials, type ServerWritableStream, status } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startEmbeddedEventStore } from "../../../infra/embedded-event-store/event-store.ts";
import { eventResponse } from "../../../infra/embedded-event-store/read-responses.ts";
import { encodeStoredEvent } from "../../../infra/embedded-event-store/stored-event.ts";
import { EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { eventStoreUrl } from "../../../infra/event-log/event-store-access.ts";
import { createEventLog } from "../../../infra/event-log/eventstore-event-log.ts";
import { credential } from "../../support/event-store.ts";
import {
  all,
  appended,
  errorOf,
  idsOf,
  metadata,
  newStream,
  someEvents,
  temporaryDirectory,
} from "./event-log-client.ts";

type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>;

/** Longer than the tests of this file take. */
const followerLagMs = 60_000;

const directory = temporaryDirectory();
const store = await startEmbeddedEventStore({ directory: directory.path, ...credential, followerLagMs });
const connection = { connectionString: store.connectionString, ...credential, deadlineMs: 5_000 };
const log = createEventLog(connection);
const otherClient = EventStoreDBClient.connectionString(eventStoreUrl(connection));

const lagging = suite("event log: while followers lag");

lagging.after(async () => {
  await log.close();
  await otherClient.dispose();
  await store.close();
  await directory.remove();
});

lagging("reads acknowledged events, from the leader", async () => {
  const stream = newStream();
  const events = someEvents(3);
  const { position } = await appended(log, stream, "no_stream", events);
  const found = {
    head: await log.headPosition(),
    all: idsOf(await all(log.readAll("start", 10))),
    at: (await log.eventAt(position))?.id,
    stream: idsOf(await all(log.read(stream))),
    backwards: idsOf(await log.readBackwards(stream, 1)),
  };
  const ids = idsOf(events);
  assert.equal(found, { head: position, all: ids, at: ids[2], stream: ids, backwards: ids.slice(2) });
});

lagging("shows other readers the state of a follower", async () => {
  const stream = newStream();
  await appended(log, stream, "no_stream", someEvents(2));
  assert.is((await all(otherClient.readStream(stream, { requiresLeader: true }))).length, 2);
  assert.match(String(await errorOf(all(otherClient.readStream(stream)))), /not found/i);
  assert.equal(await all(otherClient.readAll()), []);
  const subscription = otherClient.subscribeToStream(stream);
  await once(subscription, "caughtUp");
  await subscription.unsubscribe();
});

lagging.run();

const moved = suite("event log: a node that is not the leader");

/** A node whose reads are answered by `read`. */
async function startNode(read: (call: ReadCall) => void) {
  const server = new Server();
  server.addService({ read: streamsContract.StreamsService.read }, { read });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { port, close: () => server.forceShutdown() };
}

moved("names the leader, where the read continues", async () => {
  const demands: unknown[] = [];
  const leader = await startNode((call) => {
    demands.push(call.metadata.get("requires-leader")[0]);
    call.write(new streams.ReadResp().setStreamNotFound(new streams.ReadResp.StreamNotFound()));
    call.end();
  });
  const follower = await startNode((call) => {
    const metadata = new Metadata();
    metadata.set("exception", "not-leader");
    metadata.set("leader-endpoint-host", "127.0.0.1");
    metadata.set("leader-endpoint-port", String(leader.port));
    call.emit("error", Object.assign(new Error("Leader info available"), { code: status.NOT_FOUND, metadata }));
  });
  const connectionString = `esdb://127.0.0.1:${follower.port}?tls=false`;
  const followed = createEventLog({ connectionString, username: "", password: "", deadlineMs: 5_000 });
  assert.equal(await all(followed.read(newStream())), []);
  assert.equal(demands, ["true"]);
  await followed.close();
  leader.close();
  follower.close();
});

moved("ends a read that has returned events, which would be returned again", async () => {
  const stored = Buffer.from(JSON.stringify(metadata));
  const event = { id: randomUUID(), type: "ThingHappened", isJson: true, data: Buffer.from("{}"), metadata: stored };
  const bytes = encodeStoredEvent(event, Buffer.from("thing-1"), 0, 1, Buffer.from("0"));
  const node = await startNode((call) => {
    const trailers = new Metadata();
    trailers.set("exception", "not-leader");
    trailers.set("leader-endpoint-host", "127.0.0.1");
    trailers.set("leader-endpoint-port", String(node.port));
    call.write(streams.ReadResp.deserializeBinary(eventResponse(bytes, 1)));
    call.emit(
      "error",
      Object.assign(new Error("Leader info available"), { code: status.NOT_FOUND, metadata: trailers }),
    );
  });
  const connectionString = `esdb://127.0.0.1:${node.port}?tls=false`;
  const interrupted = createEventLog({ connectionString, username: "", password: "", deadlineMs: 1_000 });
  const found: string[] = [];
  const failure = await errorOf(
    (async () => {
      for await (const { id } of interrupted.read(newStream())) found.push(id);
    })(),
  );
  assert.instance(failure, EventLogUnavailable);
  assert.equal(found, [event.id]);
  await interrupted.close();
  node.close();
});

moved("is asked again until the deadline, not longer", async () => {
  let reads = 0;
  const node = await startNode((call) => {
    reads += 1;
    const trailers = new Metadata();
    trailers.set("exception", "not-leader");
    trailers.set("leader-endpoint-host", "127.0.0.1");
    trailers.set("leader-endpoint-port", String(node.port));
    // So that a read that is repeated for ever fails otherwise.
    const code = reads < 100 ? status.NOT_FOUND : status.PERMISSION_DENIED;
    const metadata = reads < 100 ? trailers : new Metadata();
    call.emit("error", Object.assign(new Error("Leader info available"), { code, metadata }));
  });
  const connectionString = `esdb://127.0.0.1:${node.port}?tls=false`;
  const asking = createEventLog({ connectionString, username: "", password: "", deadlineMs: 200 });
  assert.instance(await errorOf(all(asking.read(newStream()))), EventLogUnavailable);
  assert.ok(reads > 1 && reads < 100, `${reads} reads`);
  await asking.close();
  node.close();
});

moved.run();

const nowhere = suite("event log: a position at which nothing is stored");

nowhere("has no event, in the words of every server; other failures are those of the server", async () => {
  const said = [
    { code: status.UNKNOWN, details: "Unexpected ReadAllResult: InvalidPosition" },
    { code: status.INVALID_ARGUMENT, details: "Trying to read from an invalid position." },
    { code: status.UNKNOWN, details: "Unexpected ReadAllResult: Error" },
  ];
  const node = await startNode((call) => void call.emit("error", Object.assign(new Error(), said.shift())));
  const connectionString = `esdb://127.0.0.1:${node.port}?tls=false`;
  const read = createEventLog({ connectionString, username: "", password: "", deadlineMs: 5_000 });
  const eventAt = (): Promise<unknown> => read.eventAt({ commit: 7n, prepare: 7n });
  assert.equal([await eventAt(), await eventAt()], [null, null]);
  assert.instance(await errorOf(eventAt()), EventLogUnavailable);
  await read.close();
  node.close();
});

nowhere.run();
