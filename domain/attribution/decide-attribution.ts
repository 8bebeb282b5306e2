import type { Candidate, Candidates } from "./candidates.ts";
import { type Ineligibility, ineligibilityOf } from "./eligibility.ts";
import type {
  AssessedCandidate,
  AttributionDecided,
  AttributionRules,
  AttributionWinner,
  CandidateVerdict,
} from "./events.ts";
import { compareCandidates, priorityOf } from "./ranking.ts";
import type { TargetEvent } from "./target-event.ts";

/** Maximum candidates that a decision lists besides its winner (contract/attribution.md#decisions). */
const maxListedOthers = 100;

/**
 * Attributes a target event (contract/attribution.md): the best eligible candidate wins; without one, the event is
 * unattributed. Every candidate gets one verdict: the winner and the 100 best-ranked others are listed, best first and
 * the ineligible after the eligible; the rest is counted by verdict. A touchpoint that matches several times counts
 * once, by its strongest match. The order of `candidates` does not matter.
 */
export function decideAttribution(
  target: TargetEvent,
  candidates: Candidates,
  rules: AttributionRules,
): AttributionDecided {
  const eligible: Candidate[] = [];
  const ineligible: Candidate[] = [];
  const reasons = new Map<Candidate, Ineligibility>();
  for (const candidate of strongestMatches(candidates.listed)) {
    const reason = ineligibilityOf(candidate, target, rules);
    if (reason !== null) reasons.set(candidate, reason);
    (reason === null ? eligible : ineligible).push(candidate);
  }
  eligible.sort(compareCandidates);
  ineligible.sort(compareCandidates);
  const winner = eligible[0] ?? null;
  const verdictOn = (candidate: Candidate): CandidateVerdict =>
    reasons.get(candidate) ?? verdictOfEligible(candidate, winner);
  const ranked = [...eligible, ...ineligible];
  const listed = maxListedOthers + (winner === null ? 0 : 1);
  return {
    type: "AttributionDecided",
    data: {
      appId: target.appId,
      eventId: target.eventId,
      category: target.category,
      at: new Date(target.at).toISOString(),
      deviceKey: target.deviceKey,
      winner: winner === null ? null : described(winner),
      candidates: ranked.slice(0, listed).map((candidate) => assessed(candidate, verdictOn(candidate))),
      otherCandidates: countedByVerdict(ranked.slice(listed).map(verdictOn), candidates.unlisted),
      rules,
    },
  };
}

/** Each touchpoint once, by its strongest match. */
export function strongestMatches(candidates: readonly Candidate[]): Iterable<Candidate> {
  const strongest = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const known = strongest.get(candidate.touchpointId);
    if (known === undefined || priorityOf(candidate) < priorityOf(known)) {
      strongest.set(candidate.touchpointId, candidate);
    }
  }
  return strongest.values();
}

function verdictOfEligible(candidate: Candidate, winner: Candidate | null): CandidateVerdict {
  if (candidate === winner) return "won";
  return winner !== null && priorityOf(candidate) === priorityOf(winner) ? "older" : "lower_priority";
}

function described(winner: Candidate): AttributionWinner {
  return {
    touchpointId: winner.touchpointId,
    kind: winner.kind,
    at: new Date(winner.at).toISOString(),
    matchedBy: winner.matchedBy,
    source: winner.source,
  };
}

function assessed(candidate: Candidate, verdict: CandidateVerdict): AssessedCandidate {
  return {
    touchpointId: candidate.touchpointId,
    kind: candidate.kind,
    at: new Date(candidate.at).toISOString(),
    matchedBy: candidate.matchedBy,
    verdict,
  };
}

function countedByVerdict(
  verdicts: readonly CandidateVerdict[],
  unlisted: number,
): AttributionDecided["data"]["otherCandidates"] {
  const counts: { [verdict in CandidateVerdict]?: number } = {};
  for (const verdict of verdicts) counts[verdict] = (counts[verdict] ?? 0) + 1;
  if (unlisted > 0) counts.not_ranked = unlisted;
  return counts;
}
