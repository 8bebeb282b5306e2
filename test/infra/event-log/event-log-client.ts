import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { EventMetadata, LogPosition } from "../../../domain/event.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { StreamName } from "../../../domain/streams.ts";
import {
  type Appended,
  type EventLog,
  EventLogUnavailable,
  type EventToAppend,
  type ExpectedRevision,
} from "../../../infra/event-log/event-log.ts";

export const metadata: EventMetadata = {
  actor: { kind: "operator" },
  requestId: "request",
  correlationId: "correlation",
  causationId: "causation",
  schemaVersion: 1,
  occurredAt: "2026-11-21T05:00:00.000Z",
};

/** `count` events that differ by their `index`, from `first` on. */
export function someEvents(count: number, first = 0): EventToAppend[] {
  return Array.from({ length: count }, (_, index) => ({
    id: randomUUID(),
    type: "ThingHappened",
    data: { index: first + index },
    metadata,
  }));
}

/** A name that no other test has used. */
export function newStream(category = "thing"): StreamName {
  return `${category}-${randomUUID()}` as StreamName;
}

/** Creates a temporary directory. */
export function temporaryDirectory(): { readonly path: string; remove(): Promise<void> } {
  const path = mkdtempSync(join(tmpdir(), "touchledger-event-log-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Appends; throws unless it succeeds. */
export async function appended(
  log: EventLog,
  stream: string,
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
): Promise<Appended> {
  const outcome = await log.append(stream, expected, events);
  if (outcome.outcome !== "appended") throw new Error(`${stream} was at ${outcome.actual}`);
  return outcome;
}

export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export function idsOf(events: readonly { readonly id: string }[]): string[] {
  return events.map(({ id }) => id);
}

/** The batches of a subscription until `count` events have arrived. */
export async function firstOf(
  batches: AsyncIterable<readonly RecordedEvent[]>,
  count: number,
): Promise<readonly (readonly RecordedEvent[])[]> {
  const found: (readonly RecordedEvent[])[] = [];
  let events = 0;
  if (count === 0) return found;
  for await (const batch of batches) {
    found.push(batch);
    events += batch.length;
    if (events >= count) break;
  }
  return found;
}

export async function headOf(log: EventLog): Promise<LogPosition | "start"> {
  return (await log.headPosition()) ?? "start";
}

export async function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error) => error,
  );
}

/** Repeats an attempt while the event log is unavailable. */
export async function untilAnswered<Result>(attempt: () => Promise<Result>): Promise<Result> {
  while (true) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof EventLogUnavailable)) throw error;
      await pause(20);
    }
  }
}
