import { outranks, type Ranked } from "./ranking.ts";

/** A touchpoint that came later than a target event which it could have won (contract/attribution.md#revisions). */
export interface LateTouchpoint extends Ranked {
  readonly touchpointId: string;
  readonly position: bigint;
}

/** A decision on the target event, or a revision: who wins from a position on. */
export interface Outcome {
  readonly from: bigint;
  readonly winner: Ranked | null;
}

/**
 * The late touchpoints of one target event that take it from its winner, so that a revision must follow, and has not
 * yet. Nothing is due before the first decision. A late touchpoint is later in the log than everything that it is
 * compared with; where a revision follows, its winner is what the next is compared with.
 */
export function revisionsDue<Late extends LateTouchpoint>(
  outcomes: readonly Outcome[],
  late: readonly Late[],
): readonly Late[] {
  if (outcomes.length === 0) return [];
  const decided = outcomes.toSorted((one, other) => (one.from < other.from ? -1 : 1));
  const due: Late[] = [];
  let winner: Ranked | null = decided[0]?.winner ?? null;
  for (const one of late.toSorted((before, after) => (before.position < after.position ? -1 : 1))) {
    const revision = decided.find(({ from }) => from === one.position);
    if (revision !== undefined) {
      winner = revision.winner;
    } else if (outranks(one, winner)) {
      due.push(one);
      winner = one;
    }
  }
  return due;
}
