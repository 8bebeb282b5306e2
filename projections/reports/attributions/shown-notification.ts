import type { AttributionWinner } from "../../../domain/attribution/events.ts";
import { localDate } from "../../../domain/values/local-time.ts";
import { type ChannelMonths, isRestricted } from "../masking/restricted-touchpoints.ts";
import { type ShownWinner, shownWinner } from "./shown-attribution.ts";

/** The data of a decision in a webhook's notification. */
interface DecidedAttribution {
  /** When the target event happened. */
  readonly at: string;
  readonly winner: AttributionWinner | null;
  /** Only in a revision. */
  readonly formerWinner?: AttributionWinner | null;
}

/**
 * A decision for a webhook: touchpoints that are withheld, by their own dates or by that of the event that they won,
 * show only the channel `restricted` (contract/reports.md#masking).
 */
export async function shownNotification<Decided extends DecidedAttribution>(
  months: ChannelMonths,
  { appId, timezone, now }: { readonly appId: number; readonly timezone: string; readonly now: Date },
  decided: Decided,
): Promise<Omit<Decided, "winner" | "formerWinner"> & { readonly winner: ShownWinner }> {
  const dateOf = (instant: string) => localDate(timezone, Date.parse(instant));
  const today = localDate(timezone, now.getTime());
  const shown = async (winner: AttributionWinner | null): Promise<ShownWinner> => {
    if (winner === null) return null;
    const { channel } = winner.source;
    const dates = [winner.at, decided.at].map(dateOf);
    const restricted = await isRestricted(months, { appId, channel, dates, today });
    return shownWinner(winner, () => restricted);
  };
  const { formerWinner } = decided;
  return {
    ...decided,
    winner: await shown(decided.winner),
    ...(formerWinner === undefined ? {} : { formerWinner: await shown(formerWinner) }),
  };
}
