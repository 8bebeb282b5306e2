import type { TouchpointKind, TouchpointSource } from "../touchpoints/events.ts";
import type { MatchType } from "./events.ts";
import type { Identifiers } from "./target-event.ts";

/** A touchpoint that matches a target event (contract/attribution.md#candidates), at or before it. */
export interface Candidate extends Identifiers {
  readonly touchpointId: string;
  readonly kind: TouchpointKind;
  /** When it happened, epoch milliseconds. */
  readonly at: number;
  readonly position: bigint;
  readonly matchedBy: MatchType;
  /** False: caused by a bot (contract/tracking-links.md#opening). */
  readonly human: boolean;
  readonly source: TouchpointSource;
}

/** Maximum touchpoints listed for each identifier and eligibility class, the newest; the others are counted. */
export const maxListedCandidates = 1_000;

/** All touchpoints that match one target event. */
export interface Candidates {
  readonly listed: readonly Candidate[];
  /** Number of matching touchpoints that are not listed, all ranked below listed ones of their kind. */
  readonly unlisted: number;
}
