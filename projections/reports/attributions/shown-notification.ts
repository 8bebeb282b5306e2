import { type ChannelMonths, isWinnerRestricted } from "../masking/restricted-touchpoints.ts";
import { type ShownWinner, shownWinner } from "./shown-attribution.ts";

/** The data of a decision in a webhook's notification. */
interface DecidedAttribution {
  /** When the target event happened. */
  readonly at: string;
  readonly winner: ShownWinner;
  /** Only in a revision. */
  readonly formerWinner?: ShownWinner;
}

/**
 * A decision for a webhook: touchpoints that are withheld, by their own dates or by that of the event that they won,
 * show only the channel `restricted` (contract/reports.md#masking). Masked ones stay as they are.
 */
export async function shownNotification<Decided extends DecidedAttribution>(
  months: ChannelMonths,
  query: { readonly appId: number; readonly timezone: string; readonly now: Date },
  decided: Decided,
): Promise<Omit<Decided, "winner" | "formerWinner"> & { readonly winner: ShownWinner }> {
  const shown = async (winner: ShownWinner): Promise<ShownWinner> => {
    if (winner === null || winner.at === null) return winner;
    const restricted = await isWinnerRestricted(months, query, winner, decided.at);
    return shownWinner(winner, () => restricted);
  };
  const { formerWinner } = decided;
  return {
    ...decided,
    winner: await shown(decided.winner),
    ...(formerWinner === undefined ? {} : { formerWinner: await shown(formerWinner) }),
  };
}
