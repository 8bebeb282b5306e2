// NOTE storage format
import type { DomainEvent } from "../event.ts";
import type { TouchpointKind, TouchpointSource } from "../touchpoints/events.ts";

export type TargetCategory = "app_install" | "app_deeplink_open" | "app_deeplink_pageview";

/** How a touchpoint matches a target event (contract/attribution.md#candidates), strongest first. */
export type MatchType = "click_id" | "device_id" | "probabilistic";

export type CandidateVerdict =
  | "won"
  | "lower_priority"
  | "older"
  | "outside_lookback"
  | "bot"
  | "reengagement_only"
  | "acquisition_only"
  | "conflicting_ids"
  /** Not among the newest of its kind, which are examined one by one; only counted. */
  | "not_ranked";

/** A matching touchpoint with its verdict. */
export interface AssessedCandidate {
  readonly touchpointId: string;
  readonly kind: TouchpointKind;
  readonly at: string;
  readonly matchedBy: MatchType;
  readonly verdict: CandidateVerdict;
}

export interface AttributionWinner {
  readonly touchpointId: string;
  readonly kind: TouchpointKind;
  readonly at: string;
  readonly matchedBy: MatchType;
  readonly source: TouchpointSource;
}

/** Lookback windows in seconds (contract/administration.md#attribution-rules). */
export interface LookbackWindows {
  readonly click: { readonly device: number; readonly probabilistic: number };
  readonly impression: { readonly device: number; readonly probabilistic: number };
}

/** The rules in force at the target event. */
export interface AttributionRules extends LookbackWindows {
  /** Attribution window: how long a winner applies to the device's later events, in seconds. */
  readonly attributionWindow: number;
  readonly channels: { readonly [channel: string]: LookbackWindows };
}

export type AttributionDecided = DomainEvent<
  "AttributionDecided",
  {
    readonly appId: number;
    /** The target event's id. */
    readonly eventId: string;
    readonly category: TargetCategory;
    /** When the target event happened. */
    readonly at: string;
    readonly deviceKey: string;
    /** null: channel `unattributed`. */
    readonly winner: AttributionWinner | null;
    /** The winner and the 100 best-ranked others (contract/attribution.md#decisions). */
    readonly candidates: readonly AssessedCandidate[];
    /** The candidates that are not listed, by verdict. */
    readonly otherCandidates: { readonly [verdict in CandidateVerdict]?: number };
    readonly rules: AttributionRules;
  }
>;

/** A late touchpoint has replaced the winner of a target event; in force from that touchpoint's position on. */
export type AttributionRevised = DomainEvent<
  "AttributionRevised",
  AttributionDecided["data"] & {
    readonly lateTouchpointId: string;
    /** The previous winner; null: none. */
    readonly formerWinner: AttributionWinner | null;
  }
>;

export type AttributionEvent = AttributionDecided | AttributionRevised;
