import type { Candidate, Candidates } from "./candidate.ts";
import { decideAttribution } from "./decide-attribution.ts";
import type { AttributionRevised, AttributionRules, AttributionWinner } from "./events.ts";
import type { TargetEvent } from "./target-event.ts";

/**
 * Decides a target event anew (contract/attribution.md#revisions) because of a late touchpoint that takes it from its
 * winner. `candidates` are those at or below the late touchpoint's position, which counts among them also when a flood
 * has hidden it; the rules are still those in force at the target event.
 */
export function reviseAttribution(
  target: TargetEvent,
  candidates: Candidates,
  rules: AttributionRules,
  late: Candidate,
  formerWinner: AttributionWinner | null,
): AttributionRevised {
  const isListed = candidates.listed.some(({ touchpointId }) => touchpointId === late.touchpointId);
  const { data } = decideAttribution(
    target,
    {
      listed: [...candidates.listed, late],
      unlisted: isListed ? candidates.unlisted : Math.max(0, candidates.unlisted - 1),
    },
    rules,
  );
  return { type: "AttributionRevised", data: { ...data, lateTouchpointId: late.touchpointId, formerWinner } };
}
