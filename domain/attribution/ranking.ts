import type { Candidate } from "./candidates.ts";
import { precedes } from "./event-order.ts";

/** The properties, besides its position, that determine a candidate's rank. */
export type Ranked = Pick<Candidate, "matchedBy" | "kind" | "at">;

/**
 * The priority of a candidate regardless of its time (contract/attribution.md#winner), 0 being the best: click-id and
 * device matches before probabilistic ones, among those clicks before impressions, then click-id matches before device
 * matches.
 */
export function priorityOf({ matchedBy, kind }: Pick<Candidate, "matchedBy" | "kind">): number {
  const isProbabilistic = matchedBy === "probabilistic" ? 4 : 0;
  const isImpression = kind === "impression" ? 2 : 0;
  const isDevice = matchedBy === "device_id" ? 1 : 0;
  return isProbabilistic + isImpression + isDevice;
}

/**
 * Sorts the better candidate first (contract/attribution.md#winner): by priority, then the latest, then the one later
 * in the log.
 */
export function compareCandidates(one: Candidate, other: Candidate): number {
  const byPriority = priorityOf(one) - priorityOf(other);
  if (byPriority !== 0) return byPriority;
  if (precedes(other, one)) return -1;
  return precedes(one, other) ? 1 : 0;
}

/** Whether an eligible candidate beats a winner that precedes it in the log; null: no winner yet. */
export function outranks(late: Ranked, winner: Ranked | null): boolean {
  if (winner === null) return true;
  const byPriority = priorityOf(late) - priorityOf(winner);
  return byPriority < 0 || (byPriority === 0 && late.at >= winner.at);
}
