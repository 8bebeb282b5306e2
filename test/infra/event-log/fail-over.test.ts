import { EventEmitter, once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { status } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { createEventLog } from "../../../infra/event-log/eventstore-event-log.ts";
import { credential } from "../../support/event-store.ts";
import { type AppendServer, type IncomingAppend, startAppendServer, succeeded } from "./append-server.ts";
import { all, errorOf, newStream, someEvents } from "./event-log-client.ts";

const succeed = (append: IncomingAppend) => append.succeed();
const silent = (): void => {};

function logAt(connectionString: string, deadlineMs: number) {
  const log = createEventLog({ connectionString, ...credential, deadlineMs });
  return { log, append: () => log.append(newStream(), "no_stream", someEvents(1)) };
}

const failOver = suite("event log: a lost leader");

failOver("a node that does not respond in time is abandoned: the next append finds the leader", async () => {
  const leader = await startAppendServer(succeed);
  let ledBy = 0;
  const lost = await startAppendServer(silent, async () => ledBy);
  ledBy = lost.port;
  const { log, append } = logAt(`esdb+discover://localhost:${lost.port}?tls=false`, 1_000);
  assert.instance(await errorOf(append()), EventLogUnavailable);
  ledBy = leader.port;
  assert.equal([await append(), lost.calls(), leader.calls()], [succeeded, 1, 1]);
  await log.close();
  await Promise.all([lost.close(), leader.close()]);
});

failOver("a call that fails while the client finds no leader does not end others", async () => {
  let ledBy: number | null = 0;
  const searches = new EventEmitter();
  const node = await startAppendServer(
    (append) => {
      ledBy = null;
      append.failCall(status.UNAVAILABLE);
    },
    async () => {
      if (ledBy === null) searches.emit("in vain");
      return ledBy;
    },
  );
  ledBy = node.port;
  const { log, append } = logAt(`esdb+discover://localhost:${node.port}?tls=false`, 5_000);
  const reading = errorOf(all(log.read(newStream())));
  const failRead = await node.failRead();
  assert.instance(await errorOf(append()), EventLogUnavailable);
  const searching = errorOf(append());
  await once(searches, "in vain");
  failRead();
  assert.match(String(await searching), /Failed to discover/);
  assert.instance(await reading, EventLogUnavailable);
  await log.close();
  await node.close();
});

failOver("when a connection is silent for the deadline of one call, no other call waits for it", async () => {
  const server = await startAppendServer(silent);
  const { log, append } = logAt(server.connectionString, 2_000);
  const first = errorOf(append());
  await pause(1_000);
  const later = errorOf(all(log.read(newStream())));
  assert.instance(await first, EventLogUnavailable);
  assert.instance(await Promise.race([later, pause(500, "still waits")]), EventLogUnavailable);
  await log.close();
  await server.close();
});

failOver("when a connection is silent for the deadline of a read, appends do not wait for theirs", async () => {
  const server = await startAppendServer(silent);
  const { log, append } = logAt(server.connectionString, 500);
  const reading = errorOf(all(log.read(newStream())));
  await server.failRead();
  const appending = errorOf(append());
  assert.instance(await reading, EventLogUnavailable);
  assert.match(String(await appending), "the event store did not respond to anything in 500 ms");
  await log.close();
  await server.close();
});

failOver("a read without a response does not end appends that get theirs", async () => {
  const server = await startAppendServer(succeed);
  const { log, append } = logAt(server.connectionString, 300);
  let isOver = false;
  const reading = errorOf(all(log.read(newStream()))).finally(() => {
    isOver = true;
  });
  while (!isOver) assert.equal(await append(), succeeded);
  assert.instance(await reading, EventLogUnavailable);
  assert.is(server.calls(), 1);
  await log.close();
  await server.close();
});

failOver("the leader is found although a node of the cluster does not respond", async () => {
  const leader: AppendServer = await startAppendServer(succeed, async () => leader.port);
  const accepted: Socket[] = [];
  const mute = createServer((socket) => accepted.push(socket)).listen(0, "127.0.0.1");
  await once(mute, "listening");
  const { port } = mute.address() as AddressInfo;
  const connectionString = `esdb://127.0.0.1:${port},127.0.0.1:${leader.port}?tls=false`;
  // The client asks the nodes in any order.
  const logs = Array.from({ length: 6 }, () => logAt(connectionString, 2_500));
  const outcomes = await Promise.all(logs.map(({ append }) => append()));
  assert.equal(
    outcomes,
    logs.map(() => succeeded),
  );
  await Promise.all(logs.map(({ log }) => log.close()));
  for (const socket of accepted) socket.destroy();
  mute.close();
  await leader.close();
});

failOver.run();
