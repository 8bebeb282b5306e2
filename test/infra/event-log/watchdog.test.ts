import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
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
  let comparisons = 0;
  const read = async (request: streams.ReadReq) => {
    const call = Object.assign(new EventEmitter(), { pause() {}, resume() {}, cancel() {} });
    const options = request.getOptions();
    const from = options?.getAll()?.getPosition()?.getCommitPosition();
    const prefixes = options?.getFilter()?.getStreamIdentifier()?.getPrefixList();
    const number = calls.push({ from, prefixes, call }) - 1;
    call.on("newListener", (event) => {
      if (event === "data") setImmediate(onRead, number);
    });
    happened.push("opened");
    return call as unknown as ClientReadableStream<Buffer>;
  };
  const parts = {
    connection: { read },
    names,
    headPosition: async () => {
      comparisons += 1;
      happened.push("compared");
      return { commit: BigInt(head), prepare: BigInt(head) };
    },
    onTrouble: (error: Error) => {
      troubles.push(error.message);
      happened.push("abandoned");
    },
    watchMs: 10,
  };
  return { parts, calls, troubles, happened, comparedWithHead: (times: number) => until(() => comparisons >= times) };
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

watchdog("compares every connection with the head twice before it abandons it", async () => {
  const { parts, happened } = silentServer(9);
  const subscription = subscribeToLog(parts, { from: { commit: 3n, prepare: 3n } });
  until(() => happened.length >= 8).then(() => subscription.close());
  for await (const _ of subscription) assert.unreachable();
  const once = ["opened", "compared", "compared", "abandoned"];
  assert.equal(happened.slice(0, 8), [...once, ...once]);
});

watchdog("keeps a subscription that is at the head, and reports that it has caught up", async () => {
  const { parts, calls, comparedWithHead } = silentServer(3);
  let reports = 0;
  const onCaughtUp = () => {
    reports += 1;
  };
  const subscription = subscribeToLog(parts, { from: { commit: 3n, prepare: 3n }, onCaughtUp });
  comparedWithHead(6).then(() => subscription.close());
  for await (const _ of subscription) assert.unreachable();
  assert.equal([reports, calls.length], [1, 1]);
});

watchdog("leaves a connection to others that ended, or followed, while it read the head", async () => {
  for (const reconnects of [false, true]) {
    const { parts, calls, troubles } = silentServer(9);
    let comparisons = 0;
    const headPosition = async () => {
      comparisons += 1;
      if (comparisons === 2) {
        calls[0]?.call.emit("error", new Error("The server is gone"));
        if (reconnects) await until(() => calls.length === 2);
      }
      return { commit: 9n, prepare: 9n };
    };
    const watched = { ...parts, headPosition, watchMs: 100 };
    const subscription = subscribeToLog(watched, { from: { commit: 3n, prepare: 3n } });
    until(() => comparisons === 3).then(() => subscription.close());
    for await (const _ of subscription) assert.unreachable();
    assert.equal([calls.length, troubles], [2, ["The server is gone"]]);
  }
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
  const { parts, calls, troubles, comparedWithHead } = silentServer(9, () => {}, streamsOfInstance("shop_"));
  const subscription = subscribeToLog(parts, { from: { commit: 3n, prepare: 3n } });
  const working = setInterval(() => calls[0]?.call.emit("data", checkpointAt(7)), 1);
  comparedWithHead(6).then(() => subscription.close());
  for await (const _ of subscription) assert.unreachable();
  clearInterval(working);
  assert.equal([calls.length, troubles], [1, []]);
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(1);
}

watchdog.run();
