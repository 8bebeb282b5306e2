import type { Candidate, Candidates } from "../../domain/attribution/candidate.ts";
import type { AttributionEvent, AttributionRules } from "../../domain/attribution/events.ts";
import { reviseAttribution } from "../../domain/attribution/revise-attribution.ts";
import type { TargetEvent } from "../../domain/attribution/target-event.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { attributionStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { derivedUuid } from "../derived-ids.ts";
import { reactorMetadata } from "./reactor-metadata.ts";

/** A target event that a late touchpoint takes from its winner (contract/attribution.md#revisions). */
export interface DueRevision<Target extends TargetEvent> {
  readonly target: Target;
  readonly late: Candidate;
}

export interface RevisionDeps {
  readonly log: Pick<EventLog, "append" | "read">;
  readonly runId: string;
  now(): Date;
}

/**
 * Appends the revision that a late touchpoint brings about at the revision which its stream has come to, once. False:
 * not appended, because another has just written there; it is due still, or not any more.
 */
export async function revise(
  { log, runId, now }: RevisionDeps,
  { target, late }: DueRevision<TargetEvent>,
  candidates: Candidates,
  rules: AttributionRules,
): Promise<boolean> {
  const stream = attributionStream(target.appId, target.eventId);
  let last: RecordedEvent<AttributionEvent> | null = null;
  for await (const recorded of log.read(stream)) {
    if (recorded.type === "AttributionRevised" && recorded.data.lateTouchpointId === late.touchpointId) return true;
    last = recorded;
  }
  if (last === null) throw new Error(`${stream} has no decision to be revised`);
  const event = reviseAttribution(target, candidates, rules, late, last.data.winner);
  const appended = await log.append(stream, last.revision, [
    {
      ...event,
      id: derivedUuid("attribution", target.appId, target.eventId, late.touchpointId),
      metadata: reactorMetadata(event.type, target, late.touchpointId, runId, now()),
    },
  ]);
  return appended.outcome === "appended";
}
