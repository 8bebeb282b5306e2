import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { mock } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import streams from "@eventstore/db-client/generated/streams_pb.js";
import type { ClientReadableStream } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventResponse } from "../../../infra/embedded-event-store/read-responses.ts";
import { encodeStoredEvent } from "../../../infra/embedded-event-store/stored-event.ts";
import { subscribeToLog } from "../../../infra/event-log/log-subscription.ts";
import { allStreams, streamsOfInstance } from "../../../infra/event-log/stream-names.ts";
import { metadata } from "./event-log-client.ts";

/** A server whose messages the test controls. `onRead` is called for each call as soon as it is read. */
function silentServer(head: number, onRead: (number: number) => void = () => {}, names = allStreams) {
  const calls: {
    readonly from: string | undefined;
    readonly prefixes: readonly string[] | undefined;
    readonly call: EventEmitter;
  }[] = [];
  const troubles: string[] = [];
  const happened: string[] = [];
  /** When each thing happened, in milliseconds. */
  const times: number[] = [];
  const record = (what: string): void => {
    happened.push(what);
    times.push(performance.now());
  };
  let comparisons = 0;
  const read = async (request: streams.ReadReq) => {
    const call = Object.assign(new EventEmitter(), { pause: () => record("paused"), resume() {}, cancel() {} });
    const options = request.getOptions();
    const from = options?.getAll()?.getPosition()?.getCommitPosition();
    const prefixes = options?.getFilter()?.getStreamIdentifier()?.getPrefixList();
    const number = calls.push({ from, prefixes, call }) - 1;
    call.on("newListener", (event) => {
      if (event === "data") setImmediate(onRead, number);
    });
    record("opened");
    return call as unknown as ClientReadableStream<Buffer>;
  };
  const parts = {
    connection: { read },
    names,
    headPosition: async () => {
      comparisons += 1;
      record("compared");
      return { commit: BigInt(head), prepare: BigInt(head) };
    },
    onTrouble: (error: Error) => {
      troubles.push(error.message);
      record("abandoned");
    },
    watchMs: 10,
  };
  return {
    parts,
    calls,
    troubles,
    happened,
    times,
    comparedWithHead: (times: number) => until(() => comparisons >= times),
  };
}

function eventAt(position: number): Buffer {
  const stored = Buffer.from(JSON.stringify(metadata));
  const proposed = { id: randomUUID(), type: "Thing", isJson: true, data: Buffer.from("{}"), metadata: stored };
  const bytes = encodeStoredEvent(proposed, Buffer.from("thing-1"), position, position, Buffer.from("0"));
  return eventResponse(bytes, position);
}

function checkpointAt(position: number): Buffer {
  const checkpoint = new streams.ReadResp.Checkpoint();
  checkpoint.setCommitPosition(String(position)).setPreparePosition(String(position));
  return Buffer.from(new streams.ReadResp().setCheckpoint(checkpoint).serializeBinary());
}

const watchdog = suite("event log: watchdog");

watchdog("reopens a subscription that receives nothing although the log grows, from its last position", async () => {
  const { parts, calls, troubles } = silentServer(9, (number) => {
    if (number === 1) calls[0]?.call.emit("data", eventAt(6));
    calls[number]?.call.emit("data", eventAt(number === 0 ? 5 : 9));
  });
  const subscription = subscribeToLog(parts, { from: { commit: 3n, prepare: 3n } });
  const positions: bigint[] = [];
  for await (const batch of subscription) {
    positions.push(...batch.map(({ position }) => position.commit));
    if (positions.length === 2) break;
  }
  assert.equal(positions, [5n, 9n], "messages of the old call are ignored");
  assert.equal(
    calls.map(({ from }) => from),
    ["3", "5"],
  );
  assert.match(troubles[0] ?? "", /nothing was received although the log has grown to 9/);
});

watchdog("abandons a connection only after an interval without messages, and a comparison with the head", async () => {
  const { parts, happened, times } = silentServer(9);
  const watchMs = 50;
  const subscription = subscribeToLog({ ...parts, watchMs }, { from: { commit: 3n, prepare: 3n } });
  until(() => happened.length >= 6).then(() => subscription.close());
  for await (const _ of subscription) assert.unreachable();
  const once = ["opened", "compared", "abandoned"];
  assert.equal(happened.slice(0, 6), [...once, ...once]);
  for (const first of [0, 3]) {
    const openMs = (times[first + 2] ?? 0) - (times[first] ?? 0);
    assert.ok(openMs >= watchMs - 2, `open for ${openMs} ms`);
  }
});

watchdog("keeps a subscription that is at the head", async () => {
  const { parts, calls, troubles, comparedWithHead } = silentServer(3);
  const subscription = subscribeToLog(parts, { from: { commit: 3n, prepare: 3n } });
  comparedWithHead(6).then(() => subscription.close());
  for await (const _ of subscription) assert.unreachable();
  assert.equal([calls.length, troubles], [1, []]);
});

watchdog("leaves a connection to others that ended, or followed, while it read the head", async () => {
  for (const reconnects of [false, true]) {
    const { parts, calls, troubles } = silentServer(9);
    let comparisons = 0;
    const headPosition = async () => {
      comparisons += 1;
      if (comparisons === 1) {
        calls[0]?.call.emit("error", new Error("The server is gone"));
        if (reconnects) await until(() => calls.length === 2);
      }
      const head = comparisons === 1 ? 9n : 3n;
      return { commit: head, prepare: head };
    };
    const watched = { ...parts, headPosition, watchMs: 100 };
    const subscription = subscribeToLog(watched, { from: { commit: 3n, prepare: 3n } });
    until(() => comparisons === 2).then(() => subscription.close());
    for await (const _ of subscription) assert.unreachable();
    assert.equal([calls.length, troubles], [2, ["The server is gone"]]);
  }
});

watchdog("keeps a connection on which events arrive while it reads the head", async () => {
  const { parts, calls, troubles } = silentServer(9);
  let comparisons = 0;
  const headPosition = async () => {
    comparisons += 1;
    if (comparisons === 1) calls[0]?.call.emit("data", eventAt(9));
    return { commit: 9n, prepare: 9n };
  };
  const subscription = subscribeToLog({ ...parts, headPosition }, { from: { commit: 3n, prepare: 3n } });
  until(() => comparisons === 2).then(() => subscription.close());
  const positions: bigint[] = [];
  for await (const batch of subscription) positions.push(...batch.map(({ position }) => position.commit));
  assert.equal([positions, calls.length, troubles], [[9n], 1, []]);
});

watchdog("reads only the streams of its prefix, and trusts no checkpoint", async () => {
  const shop = streamsOfInstance("shop_");
  const { parts, calls, troubles } = silentServer(
    9,
    (number) => {
      if (number === 0) calls[0]?.call.emit("data", checkpointAt(7));
      calls[number]?.call.emit("error", new Error("The server is gone"));
    },
    shop,
  );
  const subscription = subscribeToLog(parts, { from: { commit: 3n, prepare: 3n } });
  until(() => troubles.length >= 2).then(() => subscription.close());
  for await (const _ of subscription) assert.unreachable();
  assert.equal(
    calls.slice(0, 2).map(({ from, prefixes }) => [from, prefixes]),
    [
      ["3", ["shop_"]],
      ["3", ["shop_"]],
    ],
  );
});

watchdog("keeps a subscription of a prefix while the server shows that it goes on", async () => {
  const { parts, calls, troubles } = silentServer(9, () => {}, streamsOfInstance("shop_"));
  const subscription = subscribeToLog(parts, { from: { commit: 3n, prepare: 3n } });
  let sent = 0;
  // One a millisecond at most: the watchdog runs many times meanwhile.
  const working = setInterval(() => {
    if (calls[0]?.call.emit("data", checkpointAt(7))) sent += 1;
  }, 1);
  until(() => sent >= 10 * parts.watchMs).then(() => subscription.close());
  for await (const _ of subscription) assert.unreachable();
  clearInterval(working);
  assert.equal([calls.length, troubles], [1, []]);
});

const lostServer = new Error("The server is gone");

watchdog("reconnects soon after each loss if messages came in between, after the last event of anyone", async () => {
  const { parts, calls } = silentServer(
    9,
    (number) => {
      calls[number]?.call.emit("data", eventAt(4 + number));
      calls[number]?.call.emit("error", lostServer);
    },
    // The events are those of another application.
    streamsOfInstance(""),
  );
  const timers = mock.method(globalThis, "setTimeout");
  const subscription = subscribeToLog({ ...parts, watchMs: 60_000 }, { from: { commit: 3n, prepare: 3n } });
  await until(() => calls.length === 7);
  subscription.close();
  timers.mock.restore();
  assert.equal(
    calls.map(({ from }) => from),
    ["3", "4", "5", "6", "7", "8", "9"],
  );
  // Connections of tests before this one may still set timers of their own.
  const reconnects = timers.mock.calls.filter(({ arguments: [callback] }) => callback.name === "connect");
  const delays = reconnects.map(({ arguments: [, delay = 0] }) => delay);
  // Without messages in between the last would be 750 ms at least.
  assert.equal([delays.length >= 6, delays.filter((delay) => delay > 125)], [true, []]);
});

watchdog("receives nothing on a new connection while two batches wait from the last one", async () => {
  const { parts, calls, happened } = silentServer(9, (number) => {
    if (number > 0) return;
    for (const position of [4, 5]) calls[0]?.call.emit("data", eventAt(position));
    calls[0]?.call.emit("error", lostServer);
  });
  const subscription = subscribeToLog(parts, { from: { commit: 3n, prepare: 3n }, maxBatch: 1 });
  await until(() => calls.length === 2);
  await new Promise(setImmediate);
  subscription.close();
  assert.equal(happened, ["opened", "paused", "abandoned", "opened", "paused"]);
  assert.is(calls[1]?.from, "5");
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(1);
}

watchdog.run();
