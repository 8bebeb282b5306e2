import type { TouchpointKind, TouchpointSource } from "../touchpoints/events.ts";
import type { MatchType } from "./events.ts";
import type { Identifiers } from "./target-event.ts";

/**
 * A touchpoint that belongs to a target event in one of the ways that match (contract/attribution.md#candidates), at or
 * before it.
 */
export interface Candidate extends Identifiers {
  readonly touchpointId: string;
  readonly kind: TouchpointKind;
  /** When it happened, epoch milliseconds. */
  readonly at: number;
  readonly position: bigint;
  readonly matchedBy: MatchType;
  /** False: a bot was behind it (contract/tracking-links.md#opening). */
  readonly human: boolean;
  readonly source: TouchpointSource;
}

/** All that matched one target event. */
export interface Candidates {
  readonly listed: readonly Candidate[];
  /** How many more there are than are listed, all of them behind listed ones of their kind. */
  readonly unlisted: number;
}
