import type { AppEventRecorded } from "../../domain/app-events/events.ts";
import { defaultRules } from "../../domain/attribution/default-rules.ts";
import type {
  AttributionDecided,
  AttributionEvent,
  AttributionRevised,
  MatchType,
} from "../../domain/attribution/events.ts";
import { isTargetCategory } from "../../domain/attribution/target-event.ts";
import type { TouchpointEvent } from "../../domain/touchpoints/events.ts";

/** The decision that a touchpoint won a target event, being the only candidate. */
export function wonBy(
  { data: target }: AppEventRecorded,
  { type, data: touchpoint }: TouchpointEvent,
  matchedBy: MatchType = "probabilistic",
): AttributionDecided {
  const { touchpointId, at, source } = touchpoint;
  const won = { touchpointId, kind: type === "ClickRecorded" ? "click" : "impression", at, matchedBy } as const;
  return decided(target, { winner: { ...won, source }, candidates: [{ ...won, verdict: "won" }] });
}

/** The revision of a decision that a late touchpoint brings about. */
export function revisedBy({ data: former }: AttributionEvent, late: TouchpointEvent): AttributionRevised {
  const { touchpointId, at, source } = late.data;
  const won = {
    touchpointId,
    kind: late.type === "ClickRecorded" ? "click" : "impression",
    at,
    matchedBy: "probabilistic",
  } as const;
  const {
    lateTouchpointId: _late,
    formerWinner: _former,
    ...data
  } = { lateTouchpointId: "", formerWinner: null, ...former };
  const others = former.candidates.map((candidate) => ({ ...candidate, verdict: "older" as const }));
  return {
    type: "AttributionRevised",
    data: {
      ...data,
      winner: { ...won, source },
      candidates: [{ ...won, verdict: "won" }, ...others],
      lateTouchpointId: touchpointId,
      formerWinner: former.winner,
    },
  };
}

/** The decision on a target event without a candidate. */
export function unattributed({ data: target }: AppEventRecorded): AttributionDecided {
  return decided(target, { winner: null, candidates: [] });
}

function decided(
  { appId, eventId, category, at, deviceKey }: AppEventRecorded["data"],
  outcome: Pick<AttributionDecided["data"], "winner" | "candidates">,
): AttributionDecided {
  if (!isTargetCategory(category)) throw new Error(`${category} is not attributed`);
  return {
    type: "AttributionDecided",
    data: { appId, eventId, category, at, deviceKey, ...outcome, otherCandidates: {}, rules: defaultRules },
  };
}
