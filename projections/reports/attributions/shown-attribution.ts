import type { AttributionEvent, AttributionWinner, CandidateVerdict } from "../../../domain/attribution/events.ts";
import { localDate } from "../../../domain/values/local-time.ts";
import { attributionOf, type StoredDecision } from "../../facts/queries.ts";
import type { ReadModel } from "../../projection.ts";
import { withheldTouchpoints } from "../masking/restricted-touchpoints.ts";
import { arrivedLater } from "./arrived-later.ts";

/** The app of the request, and its time. */
interface AttributionQuery {
  readonly appId: number;
  readonly timezone: string;
  readonly eventId: string;
  readonly now: Date;
}

type Decision = AttributionEvent["data"];
type Nulls<Fields> = { readonly [Field in keyof Fields]: null };

/** A candidate in a response. */
interface ShownCandidate {
  readonly touchpointId: string | null;
  readonly kind: string | null;
  readonly at: string | null;
  readonly matchedBy: string | null;
  readonly verdict: CandidateVerdict;
  /** Only for a withheld one. */
  readonly channel?: "restricted";
  /** It was recorded after the decision. */
  readonly arrivedLater?: true;
}

type RestrictedWinner = Nulls<Omit<AttributionWinner, "source">> & {
  readonly source: Nulls<Omit<AttributionWinner["source"], "channel">> & { readonly channel: "restricted" };
};
export type ShownWinner = AttributionWinner | RestrictedWinner | null;

/** A decision in a response, without withheld data (contract/reports.md#masking). */
export interface ShownDecision {
  readonly decision: Omit<Decision, "winner" | "candidates"> & {
    readonly winner: ShownWinner;
    readonly candidates: readonly ShownCandidate[];
    readonly lateTouchpointId?: string | null;
    readonly formerWinner?: ShownWinner;
  };
  readonly position: bigint;
}

export type ShownAttribution =
  | { readonly outcome: "decided"; readonly latest: ShownDecision; readonly former: readonly ShownDecision[] }
  | { readonly outcome: "undecided" }
  | { readonly outcome: "unknown" };

/**
 * The attribution of a target event (contract/attribution.md#decisions), with touchpoints that arrived after the
 * decision and lost. A withheld touchpoint, or one that won a withheld event, shows only the channel `restricted`.
 */
export async function shownAttribution(readModel: ReadModel, query: AttributionQuery): Promise<ShownAttribution> {
  const attribution = await attributionOf(readModel, query.appId, query.eventId);
  if (attribution.outcome !== "decided") return attribution;
  const later = await arrivedLater(readModel, query.appId, attribution.latest);
  const latest = withLater(attribution.latest, later);
  const decisions = [latest, ...attribution.former];
  const isRestricted = await restrictedTouchpoints(readModel, query, decisions);
  return {
    outcome: "decided",
    latest: shownDecision(latest, isRestricted),
    former: attribution.former.map((decision) => shownDecision(decision, isRestricted)),
  };
}

function withLater(
  { decision, position }: StoredDecision,
  later: Awaited<ReturnType<typeof arrivedLater>>,
): StoredDecision {
  const otherCandidates = { ...decision.otherCandidates };
  for (const [verdict, count] of Object.entries(later.otherCandidates) as [CandidateVerdict, number][]) {
    otherCandidates[verdict] = (otherCandidates[verdict] ?? 0) + count;
  }
  const candidates = [...decision.candidates, ...later.candidates];
  return { decision: { ...decision, candidates, otherCandidates }, position };
}

type IsRestricted = (touchpointId: string) => boolean;

async function restrictedTouchpoints(
  readModel: ReadModel,
  query: AttributionQuery,
  decisions: readonly StoredDecision[],
): Promise<IsRestricted> {
  const eventDates = decisions.flatMap(({ decision }) =>
    winnersOf(decision).map(({ touchpointId }) => {
      return [touchpointId.toLowerCase(), localDate(query.timezone, Date.parse(decision.at))] as const;
    }),
  );
  const ids = [...new Set(decisions.flatMap(({ decision }) => touchpointIds(decision)))];
  const withheld = await withheldTouchpoints(readModel, query, ids, new Map(eventDates));
  return (touchpointId) => withheld.has(touchpointId.toLowerCase());
}

function winnersOf(decision: Decision): readonly AttributionWinner[] {
  const former = "formerWinner" in decision ? decision.formerWinner : null;
  return [decision.winner, former].filter((winner) => winner !== null);
}

function touchpointIds(decision: Decision): readonly string[] {
  return [
    ...winnersOf(decision).map(({ touchpointId }) => touchpointId),
    ...decision.candidates.map(({ touchpointId }) => touchpointId),
    ...("lateTouchpointId" in decision ? [decision.lateTouchpointId] : []),
  ];
}

function shownDecision({ decision, position }: StoredDecision, isRestricted: IsRestricted): ShownDecision {
  const winner = shownWinner(decision.winner, isRestricted);
  const candidates = decision.candidates.map((candidate): ShownCandidate => {
    if (!isRestricted(candidate.touchpointId)) return candidate;
    return { ...candidate, touchpointId: null, kind: null, at: null, matchedBy: null, channel: "restricted" };
  });
  if (!("lateTouchpointId" in decision)) return { decision: { ...decision, winner, candidates }, position };
  const { lateTouchpointId, formerWinner } = decision;
  return {
    decision: {
      ...decision,
      winner,
      candidates,
      lateTouchpointId: isRestricted(lateTouchpointId) ? null : lateTouchpointId,
      formerWinner: shownWinner(formerWinner, isRestricted),
    },
    position,
  };
}

/** A winner in a response: only the channel `restricted` when it is withheld. */
export function shownWinner(winner: AttributionWinner | null, isRestricted: IsRestricted): ShownWinner {
  if (winner === null || !isRestricted(winner.touchpointId)) return winner;
  const { channel: _, ...source } = winner.source;
  const nulls = Object.fromEntries(Object.keys(source).map((field) => [field, null])) as Nulls<typeof source>;
  return { touchpointId: null, kind: null, at: null, matchedBy: null, source: { channel: "restricted", ...nulls } };
}
