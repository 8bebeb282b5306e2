import type { Candidate, Candidates } from "../../domain/attribution/candidates.ts";
import type { AttributionEvent, AttributionRules } from "../../domain/attribution/events.ts";
import { reviseAttribution } from "../../domain/attribution/revisions.ts";
import type { TargetEvent } from "../../domain/attribution/target-event.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { attributionStream, type StreamName } from "../../domain/streams.ts";
import { readTraceContext } from "../../domain/values/trace-context.ts";
import { AppendTooLarge, type EventToAppend } from "../../infra/event-log/event-log.ts";
import { forEachConcurrently } from "../../infra/process/concurrency-limit.ts";
import { derivedUuid } from "../derived-ids.ts";
import type { Reactor } from "../reactors/reactor.ts";
import { requireReadable } from "../readable-event.ts";
import {
  type AttributionReactorDeps,
  attributionLimits,
  attributionMetadata,
  attributionRetry,
  batchSize,
  concurrentAppends,
  presentFor,
} from "./attribution-reactor.ts";

/** A target event whose winner a late touchpoint beats (contract/attribution.md#revisions). */
export interface DueRevision<Target extends TargetEvent> {
  readonly target: Target;
  readonly late: Candidate;
}

export interface RevisionReactorDeps<Target extends TargetEvent> extends AttributionReactorDeps<Target> {
  /** Revisions that are due because of late touchpoints, the oldest `max` by the position of the touchpoint. */
  openRevisions(max: number): Promise<readonly DueRevision<Target>[]>;
}

interface RevisionBatch<Target extends TargetEvent> {
  readonly appId: null;
  readonly due: readonly DueRevision<Target>[];
}

interface Revision<Target extends TargetEvent> extends DueRevision<Target> {
  readonly candidates: Candidates;
  readonly rules: AttributionRules;
}

/** Revises decisions because of late touchpoints, in batches, once for each late touchpoint and target event. */
export function revisionReactor<Target extends TargetEvent>(
  deps: RevisionReactorDeps<Target>,
): Reactor<RevisionBatch<Target>, readonly Revision<Target>[]> {
  /** Revisions that are appended and not projected yet. */
  let revised = new Set<string>();
  return {
    name: "revisions",
    role: "attribution",
    list: "facts",
    // The next ones once a batch is projected. Late touchpoints wait for the poll: few of the many touchpoints are late.
    adds: ({ type }) => type === "AttributionRevised",
    open: async () => {
      // More than a batch, as appended ones stay on the list until they are projected.
      const open = await deps.openRevisions(2 * batchSize);
      const keys = new Set(open.map(revisionKey));
      revised = new Set([...revised].filter((key) => keys.has(key)));
      const due = open.filter((one) => !revised.has(revisionKey(one))).slice(0, batchSize);
      return due.length === 0 ? [] : [{ appId: null, due }];
    },
    keyOf: ({ due: [first] }) => (first === undefined ? "" : revisionKey(first)),
    act: async ({ due }) => {
      const [candidates, rules] = await Promise.all([
        candidatesOfDue(due, deps),
        deps.rulesOf(due.map(({ target }) => target)),
      ]);
      return due.map((one, index) => ({
        ...one,
        candidates: presentFor(one.target, "candidates", candidates[index]),
        rules: presentFor(one.target, "rules", rules[index]),
      }));
    },
    record: async (_batch, revisions) => {
      const byStream = new Map<StreamName<"attribution">, Revision<Target>[]>();
      for (const revision of revisions) {
        const stream = attributionStream(revision.target.appId, revision.target.eventId);
        byStream.set(stream, [...(byStream.get(stream) ?? []), revision]);
      }
      await forEachConcurrently(concurrentAppends, [...byStream], async ([stream, ofStream]) => {
        if (await append(deps, stream, ofStream)) for (const revision of ofStream) revised.add(revisionKey(revision));
      });
      return false;
    },
    retry: attributionRetry,
    limits: attributionLimits,
  };
}

/**
 * The candidates of each target event at or below the position of its late touchpoint. Those of one target event are
 * read once, at its last position, and again only for a flood, of which not all are listed.
 */
async function candidatesOfDue<Target extends TargetEvent>(
  due: readonly DueRevision<Target>[],
  { candidatesOf }: Pick<RevisionReactorDeps<Target>, "candidatesOf">,
): Promise<readonly Candidates[]> {
  const newest = new Map<string, Target>();
  for (const { target, late } of due) {
    const key = targetKey(target);
    if ((newest.get(key)?.position ?? -1n) < late.position) newest.set(key, { ...target, position: late.position });
  }
  const ofTarget = await byKey([...newest.keys()], candidatesOf([...newest.values()]));
  const candidatesOfTarget = (target: Target) => presentFor(target, "candidates", ofTarget.get(targetKey(target)));
  const flooded = due.filter(({ target }) => candidatesOfTarget(target).unlisted > 0);
  const atPositions = flooded.map(({ target, late }) => ({ ...target, position: late.position }));
  const ofFlooded = await byKey(flooded, candidatesOf(atPositions));
  return due.map((one) => {
    const { listed, unlisted } = candidatesOfTarget(one.target);
    if (unlisted > 0) return presentFor(one.target, "candidates", ofFlooded.get(one));
    return { listed: listed.filter(({ position }) => position <= one.late.position), unlisted: 0 };
  });
}

/** The candidates of each key, which are iterated over in the order of the keys. */
async function byKey<Key>(
  keys: readonly Key[],
  each: AsyncIterable<Candidates>,
): Promise<ReadonlyMap<Key | undefined, Candidates>> {
  const found = new Map<Key | undefined, Candidates>();
  for await (const candidates of each) found.set(keys[found.size], candidates);
  return found;
}

/**
 * Appends the revisions of one decision that are not in its stream yet, each decided on the outcome of the previous
 * one. Returns false when another writer has appended meanwhile: the revisions that are still due stay on the list.
 */
async function append<Target extends TargetEvent>(
  deps: AttributionReactorDeps<Target>,
  stream: StreamName<"attribution">,
  due: readonly Revision<Target>[],
): Promise<boolean> {
  const { log } = deps;
  let last: RecordedEvent<AttributionEvent> | null = null;
  const appended = new Set<string>();
  for await (const recorded of log.read(stream)) {
    requireReadable(recorded);
    if (recorded.type === "AttributionRevised") appended.add(recorded.data.lateTouchpointId);
    last = recorded;
  }
  if (last === null) throw new Error(`${stream} has no decision to be revised`);
  let { winner } = last.data;
  // The trace of the touchpoint is not in the read model, so the revision is in the trace of the decision.
  const trace = readTraceContext(last.metadata);
  const events = due
    .filter(({ late }) => !appended.has(late.touchpointId))
    .map(({ target, late, candidates, rules }) => {
      const event = reviseAttribution(target, candidates, rules, late, winner);
      winner = event.data.winner;
      const id = derivedUuid("attribution", target.appId, target.eventId, late.touchpointId);
      return { ...event, id, metadata: attributionMetadata(event.type, target, late.touchpointId, deps, trace) };
    });
  return events.length === 0 || (await appendInOrder(log, stream, last.revision, events)) !== null;
}

/** Appends events in as few appends as their size allows. Returns the last revision, or null on a conflict. */
async function appendInOrder(
  log: AttributionReactorDeps<TargetEvent>["log"],
  stream: StreamName<"attribution">,
  expected: bigint,
  events: readonly EventToAppend[],
): Promise<bigint | null> {
  try {
    const appended = await log.append(stream, expected, events);
    return appended.outcome === "appended" ? appended.revision : null;
  } catch (failure) {
    if (!(failure instanceof AppendTooLarge) || events.length === 1) throw failure;
    const half = Math.ceil(events.length / 2);
    const first = await appendInOrder(log, stream, expected, events.slice(0, half));
    return first === null ? null : appendInOrder(log, stream, first, events.slice(half));
  }
}

function revisionKey({ target, late }: DueRevision<TargetEvent>): string {
  return `${targetKey(target)} ${late.touchpointId}`;
}

function targetKey({ appId, eventId }: TargetEvent): string {
  return `${appId} ${eventId}`;
}
