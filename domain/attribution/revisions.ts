import type { Candidate, Candidates } from "./candidates.ts";
import { decideAttribution } from "./decide-attribution.ts";
import type { AttributionRevised, AttributionRules, AttributionWinner } from "./events.ts";
import { outranks, type Ranked } from "./ranking.ts";
import type { TargetEvent } from "./target-event.ts";

/** A touchpoint that was recorded after a target event that it could have won (contract/attribution.md#revisions). */
export interface LateTouchpoint extends Ranked {
  readonly touchpointId: string;
  readonly position: bigint;
}

/** A decision on the target event, or a revision: the winner from a position on. */
export interface Outcome {
  readonly from: bigint;
  readonly winner: Ranked | null;
}

/**
 * Maximum revisions of one decision (contract/attribution.md#revisions): each is an event with up to 101 candidates, and
 * anybody may send server-to-server clicks.
 */
export const maxRevisions = 20;

/** Maximum target events, the next after a late touchpoint, that it can revise by each of its keys (docs/decisions/013). */
export const maxTargetsOfKey = 100;

/**
 * The late touchpoints of one target event for which a revision is due: they beat its winner, and no revision is
 * recorded yet. No revision is due before the first decision, or beyond {@link maxRevisions}. A late touchpoint is compared
 * with the winner before it in the log; the winner of a revision is compared with the next late touchpoint.
 */
export function revisionsDue<Late extends LateTouchpoint>(
  outcomes: readonly Outcome[],
  late: readonly Late[],
): readonly Late[] {
  if (outcomes.length === 0) return [];
  const decided = outcomes.toSorted((one, other) => (one.from < other.from ? -1 : 1));
  const due: Late[] = [];
  let winner: Ranked | null = decided[0]?.winner ?? null;
  let room = maxRevisions - (decided.length - 1);
  for (const touchpoint of late.toSorted((before, after) => (before.position < after.position ? -1 : 1))) {
    const revision = decided.find(({ from }) => from === touchpoint.position);
    if (revision !== undefined) {
      winner = revision.winner;
    } else if (room > 0 && outranks(touchpoint, winner)) {
      room -= 1;
      due.push(touchpoint);
      winner = touchpoint;
    }
  }
  return due;
}

/**
 * Decides a target event again (contract/attribution.md#revisions) because of a late touchpoint that beats its winner.
 * `candidates` are those at or below the position of the late touchpoint, which counts even if a flood keeps it off the
 * list; the rules are still those in force at the target event.
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
