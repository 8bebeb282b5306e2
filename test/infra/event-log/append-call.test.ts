import { randomUUID } from "node:crypto";
import { status } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  AppendTooLarge,
  type EventLog,
  EventLogRefused,
  EventLogUnavailable,
} from "../../../infra/event-log/event-log.ts";
import { createEventLog } from "../../../infra/event-log/eventstore-event-log.ts";
import { credential } from "../../support/event-store.ts";
import { structuredId, textId } from "../embedded-event-store/batch-append-client.ts";
import { type AppendServer, type IncomingAppend, startAppendServer, succeeded } from "./append-server.ts";
import { errorOf, newStream, someEvents, untilAnswered } from "./event-log-client.ts";

/** Starts a server that the test controls, and a log on it. */
async function startLog(onAppend?: (append: IncomingAppend) => void, deadlineMs = 5_000) {
  const server = await startAppendServer(onAppend);
  const log = createEventLog({ connectionString: server.connectionString, ...credential, deadlineMs });
  return {
    server,
    log,
    append: (stream = newStream()) => log.append(stream, "no_stream", someEvents(1)),
    /** The server waits until no call is open. */
    async close() {
      await log.close();
      await server.close();
    },
  };
}

/** A log on the leader that a server names. */
function discovering({ port }: AppendServer, deadlineMs = 5_000): EventLog {
  return createEventLog({ connectionString: `esdb+discover://localhost:${port}?tls=false`, ...credential, deadlineMs });
}

/** Name and text of what an append rejects with. */
async function refusalOf(append: Promise<unknown>): Promise<readonly [string, string]> {
  const error = await errorOf(append);
  assert.instance(error, Error);
  return [(error as Error).name, (error as Error).message];
}

/** The kind of error that an append rejects with. */
async function kindOf(append: Promise<unknown>): Promise<string> {
  const error = await errorOf(append);
  if (error instanceof EventLogRefused) return "refused";
  if (error instanceof EventLogUnavailable) return "unavailable";
  if (error instanceof AppendTooLarge) return "too large";
  return `status ${status[(error as { readonly code: status }).code]}`;
}

const succeed = (append: IncomingAppend) => append.succeed();

const calls = suite("event log: the call of appends");

calls("concurrent and sequential appends share one call, and each gets its own response", async () => {
  const { server, append, close } = await startLog();
  const streams = Array.from({ length: 20 }, () => newStream());
  const answered: string[] = [];
  const appending = streams.map((stream) =>
    append(stream).then((outcome) => {
      answered.push(stream);
      return outcome;
    }),
  );
  const received = await server.received(streams.length);
  for (const each of received.toReversed()) each.succeed();
  assert.equal(
    await Promise.all(appending),
    streams.map(() => succeeded),
  );
  assert.equal(answered, streams.toReversed());
  const late = append();
  (await server.received(streams.length + 1)).at(-1)?.succeed();
  assert.equal(await late, succeeded);
  assert.is(server.calls(), 1);
  await close();
});

calls(
  "an append without a response in time ends the call for all pending ones, and the next opens another",
  async () => {
    const silent = newStream();
    const { server, append, close } = await startLog(({ stream, succeed }) => {
      if (stream !== silent) succeed();
    }, 200);
    assert.equal(await append(), succeeded);
    const unanswered = await Promise.all([append(silent), append(silent), append(silent)].map(refusalOf));
    const late = ["EventLogUnavailable", "the event store did not respond to an append in 200 ms"];
    assert.equal(unanswered, [late, late, late]);
    assert.equal(await append(), succeeded);
    assert.is(server.calls(), 2);
    await close();
  },
);

calls("a call that the server ends rejects pending appends, and the next append opens another", async () => {
  const endings: readonly [string, (append: IncomingAppend) => void, string][] = [
    ["as if all were well", (append) => append.endCall(), "unavailable"],
    ["as unavailable", (append) => append.failCall(status.UNAVAILABLE), "unavailable"],
    ["as broken", (append) => append.failCall(status.INTERNAL), "unavailable"],
    ["as too busy", (append) => append.failCall(status.RESOURCE_EXHAUSTED), "unavailable"],
    ["for our credential", (append) => append.failCall(status.UNAUTHENTICATED), "refused"],
  ];
  for (const [how, end, expected] of endings) {
    const { server, append, close } = await startLog();
    const waiting = [append(), append()].map(kindOf);
    const [first] = await server.received(2);
    if (first) end(first);
    assert.equal(await Promise.all(waiting), [expected, expected], how);
    const next = append();
    (await server.received(3)).at(-1)?.succeed();
    assert.equal([await next, server.calls()], [succeeded, 2], how);
    await close();
  }
});

calls(
  "a message that is too large for the server is the largest one in flight; the others may be repeated",
  async () => {
    for (const details of [
      "Received message larger than max (17000000 vs 16777216)",
      "Received message exceeds the maximum configured message size.",
      "Received message that decompresses to a size larger than 16777216",
      "grpc: received message larger than max (17000000 vs. 16777216)",
    ]) {
      const { server, log, append, close } = await startLog();
      const large = log.append(newStream(), "no_stream", someEvents(2));
      const waiting = [append(), large, append()].map(kindOf);
      const [first] = await server.received(3);
      first?.failCall(status.RESOURCE_EXHAUSTED, details);
      assert.equal(await Promise.all(waiting), ["unavailable", "too large", "unavailable"], details);
      await close();
    }
  },
);

calls("an error in a response determines whether a retry can help, and affects its own append only", async () => {
  const { server, append, close } = await startLog();
  const refused = async (type: string | null) => {
    const before = server.appends.length;
    const appending = kindOf(append());
    (await server.received(before + 1))[before]?.refuse(type && `event_store.client.${type}`);
    return appending;
  };
  const other = append();
  await server.received(1);
  assert.equal(
    {
      MaximumAppendSizeExceeded: await refused("MaximumAppendSizeExceeded"),
      MaximumAppendEventSizeExceeded: await refused("MaximumAppendEventSizeExceeded"),
      StreamDeleted: await refused("StreamDeleted"),
      AccessDenied: await refused("AccessDenied"),
      BadRequest: await refused("BadRequest"),
      Unknown: await refused("Unknown"),
      unrecognised: await refused("SomethingNew"),
      "without details": await refused(null),
    },
    {
      MaximumAppendSizeExceeded: "too large",
      MaximumAppendEventSizeExceeded: "too large",
      StreamDeleted: "status FAILED_PRECONDITION",
      AccessDenied: "refused",
      BadRequest: "status INVALID_ARGUMENT",
      Unknown: "unavailable",
      unrecognised: "unavailable",
      "without details": "unavailable",
    },
  );
  server.appends[0]?.succeed();
  assert.equal([await other, server.calls()], [succeeded, 1]);
  await close();
});

calls("an append that a cluster answers with a timeout is repeated once, in the same call", async () => {
  const { server, append, close } = await startLog();
  const streams = [newStream(), newStream()];
  const [repeated, refused] = streams.map((stream) => append(stream));
  for (const each of await server.received(2)) each.refuse("event_store.client.Timeout");
  const received = await server.received(4);
  assert.equal(
    received.map(({ stream }) => stream),
    [...streams, ...streams],
  );
  received[2]?.succeed();
  received[3]?.refuse("event_store.client.Timeout");
  assert.equal([await repeated, await kindOf(refused as Promise<unknown>)], [succeeded, "unavailable"]);
  assert.equal([server.appends.length, server.calls()], [4, 1]);
  await close();
});

calls("a repeated append without a response ends alone, as its node responds", async () => {
  const { server, append, close } = await startLog(undefined, 1_000);
  const late = append(newStream());
  const [first] = await server.received(1);
  first?.refuse("event_store.client.Timeout");
  assert.is(await kindOf(late), "unavailable");
  const next = append(newStream());
  (await server.received(3)).at(-1)?.succeed();
  assert.equal([await next, server.calls()], [succeeded, 1]);
  await close();
});

calls(
  "a node that is not ready ends the call for all pending appends, and the next append finds the leader",
  async () => {
    const leader = await startAppendServer(succeed);
    let ledBy = 0;
    const notReady = await startAppendServer(
      (append) => {
        if (append.call > 1) append.refuse("google.protobuf.Empty");
      },
      async () => ledBy,
    );
    ledBy = notReady.port;
    // So that the deadline is not what ends them.
    const log = discovering(notReady, 600_000);
    const append = () => log.append(newStream(), "no_stream", someEvents(1));
    const waiting = [append(), append()].map(kindOf);
    const [first] = await notReady.received(2);
    ledBy = leader.port;
    first?.refuse("google.protobuf.Empty");
    assert.equal(await Promise.all(waiting), ["unavailable", "unavailable"]);
    assert.equal([await untilAnswered(append), leader.calls()], [succeeded, 1]);
    await notReady.cancelledAllBut(0);
    await log.close();
    await Promise.all([notReady.close(), leader.close()]);
  },
);

calls("a call that opens after the deadline is cancelled", async () => {
  let found = (_port: number): void => {};
  const ledBy = new Promise<number>((resolve) => {
    found = resolve;
  });
  const server = await startAppendServer(succeed, () => ledBy);
  const log = discovering(server, 100);
  const late = log.append(newStream(), "no_stream", someEvents(1));
  assert.equal(await refusalOf(late), ["EventLogUnavailable", "the event store did not respond in 600 ms"]);
  found(server.port);
  assert.equal(await log.append(newStream(), "no_stream", someEvents(1)), succeeded);
  await server.cancelledAllBut(1);
  await log.close();
  await server.close();
});

calls("a response is accepted with either form of the id", async () => {
  const { server, append, close } = await startLog((incoming) => incoming.succeedInHalves());
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => append()));
  assert.equal(
    outcomes,
    outcomes.map(() => succeeded),
  );
  assert.is(server.calls(), 1);
  await close();
});

calls("a response with an unknown id is ignored", async () => {
  const { server, append, close } = await startLog((incoming) => {
    incoming.succeedAs(textId(randomUUID()));
    incoming.succeedAs(textId(""));
    incoming.succeedAs(structuredId("0", "1"));
    incoming.succeed();
    incoming.succeed();
  });
  assert.equal([await append(), await append(), server.calls()], [succeeded, succeeded, 1]);
  await close();
});

calls("closing the log rejects pending appends, and leaves no call open", async () => {
  const { server, log, append } = await startLog();
  const waiting = [append(), append()].map(kindOf);
  await server.received(2);
  await log.close();
  assert.equal(await Promise.all(waiting), ["unavailable", "unavailable"]);
  await server.cancelledAllBut(0);
  await server.close();
});

calls("closing the log rejects appends that have just begun, and later ones", async () => {
  const { server, log, append } = await startLog(succeed);
  const begun = kindOf(append());
  await log.close();
  assert.equal([await begun, await kindOf(append())], ["unavailable", "unavailable"]);
  await server.close();
});

calls("closing an idle log leaves no call open", async () => {
  const { append, close } = await startLog(succeed);
  await append();
  await close();
});

calls.run();
