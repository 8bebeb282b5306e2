import { randomUUID } from "node:crypto";
import type { EventType } from "../../domain/event-catalogue.ts";
import {
  appEventJournal,
  reportTaskStream,
  type StreamName,
  touchpointJournal,
  trackingLinkStream,
  uploadStream,
} from "../../domain/streams.ts";
import type { Random } from "../../infra/demo/random.ts";
import { type EventLog, EventLogUnavailable, type EventToAppend } from "../../infra/event-log/event-log.ts";
import { connectLog } from "../support/event-store.ts";
import type { Fault } from "./faults.ts";
import type { World } from "./world.ts";

const highestLink = 900_000_000;

/** New streams of our own names, and types of theirs that read models handle. */
function newStream(random: Random): readonly [StreamName, EventType] {
  return random.pick<readonly [StreamName, EventType]>([
    [touchpointJournal(1, random.uuid()), "ClickRecorded"],
    [appEventJournal(1, random.uuid()), "AppEventRecorded"],
    [uploadStream(random.uuid()), "UploadReceived"],
    [reportTaskStream(random.uuid()), "ReportRequested"],
    [trackingLinkStream(random.whole(highestLink, 2 * highestLink)), "TrackingLinkCreated"],
  ]);
}

/** Events of ours whose data or metadata have a wrong shape, in streams of their own and in those that processes write. */
export function poisonFaults(world: World, random: Random): readonly Fault[] {
  const inNewStream = async (log: EventLog): Promise<void> => {
    const [stream, type] = newStream(random);
    await appendPoison(world, log, stream, type, random);
  };
  const inWrittenStream = async (log: EventLog): Promise<void> => {
    const streams = new Set<StreamName<"touchpoints">>();
    for await (const { type, stream } of log.readAll("start", Number.MAX_SAFE_INTEGER)) {
      if (type === "ClickRecorded") streams.add(stream as StreamName<"touchpoints">);
    }
    if (streams.size > 0) await appendPoison(world, log, random.pick([...streams]), "ClickRecorded", random);
  };
  return (
    [
      ["poison a new stream", inNewStream],
      ["poison a stream that a process writes", inWrittenStream],
    ] as const
  ).map(([name, append]) => ({
    name,
    target: "poison",
    begin: async () => {
      const log = connectLog({ EVENTSTORE_URL: world.store.store.url, EVENT_STREAM_PREFIX: "" });
      await untilAvailable(() => append(log)).finally(log.close);
    },
    end: () => undefined,
  }));
}

const wrongData = [{}, [], "poison", { appId: "one" }];

/** Appends one at the end of the stream, whoever else writes there. */
async function appendPoison(
  { poison }: World,
  log: EventLog,
  stream: StreamName,
  type: EventType,
  random: Random,
): Promise<void> {
  const data = random.pick(wrongData);
  const ids = { requestId: "poison", correlationId: "poison", causationId: "poison" };
  const occurredAt = new Date().toISOString();
  const metadata = { ...ids, actor: { kind: "operator" as const }, schemaVersion: 1, occurredAt };
  // Of a wrong shape on purpose.
  const event = { id: randomUUID(), type, data, metadata } as EventToAppend;
  poison.add(event.id);
  for (;;) {
    const [last] = await untilAvailable(() => log.readBackwards(stream, 1));
    const expected = last?.revision ?? "no_stream";
    // The same append again: a store that has written it says so.
    if ((await untilAvailable(() => log.append(stream, expected, [event]))).outcome === "appended") return;
  }
}

/** Again while the event store is away, which every fault ends. */
async function untilAvailable<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await call();
    } catch (failure) {
      if (!(failure instanceof EventLogUnavailable)) throw failure;
    }
  }
}
