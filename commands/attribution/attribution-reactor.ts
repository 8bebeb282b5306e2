import type { Candidates } from "../../domain/attribution/candidates.ts";
import { decideAttribution } from "../../domain/attribution/decide-attribution.ts";
import type { AttributionDecided, AttributionEvent, AttributionRules } from "../../domain/attribution/events.ts";
import type { TargetEvent } from "../../domain/attribution/target-event.ts";
import type { EventMetadata } from "../../domain/event.ts";
import { attributionStream } from "../../domain/streams.ts";
import type { TraceContext } from "../../domain/values/trace-context.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { forEachConcurrently } from "../../infra/process/concurrency-limit.ts";
import { inSpan } from "../../infra/tracing/span.ts";
import { derivedUuid } from "../derived-ids.ts";
import { eventMetadata } from "../event-metadata.ts";
import type { Reactor } from "../reactors/reactor.ts";

/** A target event on the to-do list. */
export interface OpenTargetEvent extends TargetEvent {
  /** The trace that recorded it. */
  readonly trace?: TraceContext | undefined;
}

export interface AttributionReactorDeps<Target extends TargetEvent> {
  readonly log: Pick<EventLog, "append" | "read">;
  /** The request id of what it records. */
  readonly runId: string;
  /** Undecided target events at positions above `after`, the oldest `max`. */
  openTargets(after: bigint, max: number): Promise<readonly (Target & OpenTargetEvent)[]>;
  /** What matches each of them at or below its position, in their order; read while it is iterated over. */
  candidatesOf(targets: readonly Target[]): AsyncIterable<Candidates>;
  /**
   * The rules in force at the position of each of them, in their order (contract/administration.md#attribution-rules).
   */
  rulesOf(targets: readonly Target[]): Promise<readonly AttributionRules[]>;
  now(): Date;
}

interface TargetBatch<Target extends OpenTargetEvent> {
  readonly appId: null;
  readonly targets: readonly Target[];
}

interface Decision {
  readonly target: OpenTargetEvent;
  readonly event: AttributionDecided;
}

/** Maximum rows that are taken from the to-do list at a time: large, for a backlog. */
const maxBatch = 1_000;
/** Rows whose candidates are in memory at a time: an address that many devices share has thousands for each. */
export const batchSize = 200;
export const concurrentAppends = 256;
export const attributionRetry = { initialBackoffMs: 100, maxBackoffMs: 5_000, giveUp: null };
export const attributionLimits = { maxConcurrent: 1, maxOpen: 1 };
/** Interval after which the list is read from its start, for rows that were added before the last one read. */
const startOverMs = 60_000;

/**
 * Attributes target events in batches, oldest first: finds their candidates, decides, and appends each decision to the
 * target event's stream, unless that has one. Decided targets are not read again while the projection catches up.
 */
export function attributionReactor<Target extends TargetEvent>(
  deps: AttributionReactorDeps<Target>,
): Reactor<TargetBatch<Target & OpenTargetEvent>, readonly Decision[]> {
  /** Everything up to this position is decided. */
  let after = 0n;
  let startedOverAt = 0;
  return {
    name: "attribution",
    role: "attribution",
    list: "facts",
    adds: ({ type }) => type === "AppEventRecorded",
    open: async () => {
      const now = deps.now().getTime();
      // The clock may have been set back.
      if (Math.abs(now - startedOverAt) >= startOverMs) {
        startedOverAt = now;
        after = 0n;
      }
      const targets = await deps.openTargets(after, maxBatch);
      return targets.length === 0 ? [] : [{ appId: null, targets }];
    },
    keyOf: ({ targets: [first] }) => String(first?.position),
    tracesOf: ({ targets }) => targets.map(({ trace }) => trace),
    act: async ({ targets }) => {
      const decisions: Decision[] = [];
      for (let first = 0; first < targets.length; first += batchSize) {
        decisions.push(...(await decide(targets.slice(first, first + batchSize), deps)));
      }
      return decisions;
    },
    record: async ({ targets }, decisions) => {
      await forEachConcurrently(concurrentAppends, decisions, async ({ target, event }) => {
        const { appId, eventId } = target;
        const id = derivedUuid("attribution", appId, eventId);
        const settings = () => ({ attributes: { "touchledger.app_id": appId, "touchledger.event_id": eventId } });
        await inSpan("decide attribution", target.trace, settings, async (trace) => {
          const metadata = attributionMetadata(event.type, target, eventId, deps, trace);
          // A wrong expected revision means that the target event is decided already.
          await deps.log.append(attributionStream(appId, eventId), "no_stream", [{ ...event, id, metadata }]);
        });
      });
      after = targets.at(-1)?.position ?? after;
      return false;
    },
    retry: attributionRetry,
    limits: attributionLimits,
  };
}

async function decide<Target extends TargetEvent>(
  targets: readonly (Target & OpenTargetEvent)[],
  { candidatesOf, rulesOf }: Pick<AttributionReactorDeps<Target>, "candidatesOf" | "rulesOf">,
): Promise<readonly Decision[]> {
  const rules = await rulesOf(targets);
  const eachCandidates = candidatesOf(targets)[Symbol.asyncIterator]();
  const decisions: Decision[] = [];
  for (const [index, target] of targets.entries()) {
    const next = await eachCandidates.next();
    const found = presentFor(target, "candidates", next.done === true ? undefined : next.value);
    const inForce = presentFor(target, "rules", rules[index]);
    decisions.push({ target, event: decideAttribution(target, found, inForce) });
  }
  return decisions;
}

/** What was read for a target event. Throws when a query has left the target event out. */
export function presentFor<Found>({ appId, eventId }: TargetEvent, what: string, found: Found | undefined): Found {
  if (found === undefined) throw new Error(`No ${what} were read for event ${eventId} of app ${appId}`);
  return found;
}

/** The metadata of an event that is recorded about a target event because of it, or because of a touchpoint. */
export function attributionMetadata(
  type: AttributionEvent["type"],
  { eventId }: TargetEvent,
  causationId: string,
  { runId, now }: Pick<AttributionReactorDeps<TargetEvent>, "runId" | "now">,
  trace: TraceContext | undefined,
): EventMetadata {
  return eventMetadata(type, {
    actor: { kind: "reactor", name: "attribution" },
    requestId: runId,
    correlationId: eventId,
    causationId,
    occurredAt: now().toISOString(),
    trace,
  });
}
