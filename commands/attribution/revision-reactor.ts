import type { Candidate, Candidates } from "../../domain/attribution/candidate.ts";
import type { AttributionEvent, AttributionRules } from "../../domain/attribution/events.ts";
import { reviseAttribution } from "../../domain/attribution/revisions.ts";
import type { TargetEvent } from "../../domain/attribution/target-event.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { attributionStream, type StreamName } from "../../domain/streams.ts";
import { derivedUuid } from "../derived-ids.ts";
import { forEachConcurrently } from "../reactors/concurrency-limit.ts";
import type { Reactor } from "../reactors/reactor.ts";
import {
  type AttributionReactorDeps,
  attributionLimits,
  attributionMetadata,
  attributionRetry,
  batchSize,
  concurrentAppends,
} from "./attribution-reactor.ts";

/** A target event that a late touchpoint takes from its winner (contract/attribution.md#revisions). */
export interface DueRevision<Target extends TargetEvent> {
  readonly target: Target;
  readonly late: Candidate;
}

export interface RevisionReactorDeps<Target extends TargetEvent> extends AttributionReactorDeps<Target> {
  /** Revisions that are due because of late touchpoints, the oldest `max` by the position of the touchpoint. */
  openRevisions(max: number): Promise<readonly DueRevision<Target>[]>;
}

interface RevisionBatch<Target extends TargetEvent> {
  readonly appId: 0;
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
  /** Appended and not projected yet. */
  let revised = new Set<string>();
  return {
    name: "revisions",
    role: "attribution",
    list: "facts",
    adds: ({ type }) => type === "AttributionRevised",
    open: async () => {
      const open = await deps.openRevisions(batchSize);
      const keys = new Set(open.map(revisionKey));
      revised = new Set([...revised].filter((key) => keys.has(key)));
      const due = open.filter((one) => !revised.has(revisionKey(one)));
      return due.length === 0 ? [] : [{ appId: 0, due }];
    },
    keyOf: ({ due: [first] }) => (first === undefined ? "" : revisionKey(first)),
    act: async ({ due }) => {
      const [candidates, rules] = await Promise.all([
        deps.candidatesOf(due.map(({ target, late }) => ({ ...target, position: late.position }))),
        deps.rulesOf(due.map(({ target }) => target)),
      ]);
      return due.flatMap((one, index) => {
        const [found, inForce] = [candidates[index], rules[index]];
        return found === undefined || inForce === undefined ? [] : [{ ...one, candidates: found, rules: inForce }];
      });
    },
    record: async (_batch, revisions) => {
      const byStream = new Map<StreamName<"attribution">, Revision<Target>[]>();
      for (const revision of revisions) {
        const stream = attributionStream(revision.target.appId, revision.target.eventId);
        byStream.set(stream, [...(byStream.get(stream) ?? []), revision]);
      }
      await forEachConcurrently(concurrentAppends, [...byStream], async ([stream, ofStream]) => {
        // One after the other: each is decided at the revision that the one before has left.
        for (const revision of ofStream) {
          if (!(await append(deps, stream, revision))) return;
          revised.add(revisionKey(revision));
        }
      });
      return false;
    },
    retry: attributionRetry,
    limits: attributionLimits,
  };
}

/**
 * Appends a revision, once, at the last revision of its stream. False: not appended, because another writer was there;
 * the list shows it for as long as it is due.
 */
async function append<Target extends TargetEvent>(
  { log, runId, now }: AttributionReactorDeps<Target>,
  stream: StreamName<"attribution">,
  { target, late, candidates, rules }: Revision<Target>,
): Promise<boolean> {
  let last: RecordedEvent<AttributionEvent> | null = null;
  for await (const recorded of log.read(stream)) {
    if (recorded.type === "AttributionRevised" && recorded.data.lateTouchpointId === late.touchpointId) return true;
    last = recorded;
  }
  if (last === null) throw new Error(`${stream} has no decision to be revised`);
  const event = reviseAttribution(target, candidates, rules, late, last.data.winner);
  const id = derivedUuid("attribution", target.appId, target.eventId, late.touchpointId);
  const metadata = attributionMetadata(event.type, target, late.touchpointId, runId, now());
  const appended = await log.append(stream, last.revision, [{ ...event, id, metadata }]);
  return appended.outcome === "appended";
}

function revisionKey({ target, late }: DueRevision<TargetEvent>): string {
  return `${target.appId} ${target.eventId} ${late.touchpointId}`;
}
