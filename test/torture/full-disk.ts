import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EventLogUnavailable } from "../../infra/event-log/event-log.ts";
import { connectLog } from "../support/event-store.ts";
import type { Fault } from "./faults.ts";
import type { World } from "./world.ts";

const fullDiskFile = (scratch: string): string => join(scratch, "disk-is-full");

/** For an event store whose disk can be full: its system then says so. */
export function fullDiskEnvironment(scratch: string): Readonly<Record<string, string>> {
  const preload = new URL("./full-disk-preload.js", import.meta.url);
  const options = `${process.env.NODE_OPTIONS ?? ""} --import ${preload.href}`;
  return { NODE_OPTIONS: options, FULL_DISK_FILE: fullDiskFile(scratch) };
}

/** The event store has less than its reserve of free space: it takes nothing, clicks are spooled, events answered with 503. */
export function fullDisk({ store, scratch, breaches }: World): Fault {
  return {
    name: "full disk of event store",
    target: "event store",
    begin: () => writeFile(fullDiskFile(scratch), ""),
    end: async () => {
      if (await takesEvents(store.store.url)) breaches.push("the event store took an event on a full disk");
      await rm(fullDiskFile(scratch));
    },
  };
}

const probeDeadlineMs = 1_000;

async function takesEvents(url: string): Promise<boolean> {
  const log = connectLog({ EVENTSTORE_URL: url, EVENT_STREAM_PREFIX: "" }, { deadlineMs: probeDeadlineMs });
  const ids = { requestId: "probe", correlationId: "probe", causationId: "probe" };
  const occurredAt = new Date().toISOString();
  const metadata = { ...ids, actor: { kind: "operator" as const }, schemaVersion: 1, occurredAt };
  const event = { id: randomUUID(), type: "Probe" as never, data: {}, metadata };
  try {
    await log.append(`probe-${event.id}`, "no_stream", [event]);
    return true;
  } catch (failure) {
    if (failure instanceof EventLogUnavailable) return false;
    throw failure;
  } finally {
    await log.close();
  }
}
