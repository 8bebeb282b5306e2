import type { OpenDeferredDeps } from "../../commands/tracking-links/open-deferred.ts";
import { positionAtCommit } from "../../domain/event.ts";
import { decisionInForce, touchpointPosition } from "../../projections/facts/queries.ts";
import type { ReadModel } from "../../projections/projection.ts";
import { isWinnerRestricted } from "../../projections/reports/masking/restricted-touchpoints.ts";
import { currentChannelMonths } from "./channel-months.ts";

/** How a target event was attributed, and where the log has the touchpoint that won it, unless it is withheld. */
export function deferredLinkAttribution(
  live: () => Promise<ReadModel>,
): Pick<OpenDeferredDeps, "decisionInForce" | "shownWinner"> {
  const months = currentChannelMonths(live);
  return {
    decisionInForce: async (appId, eventId) => decisionInForce(await live(), appId, eventId),
    shownWinner: async ({ appId, timezone }, { at, winner }) => {
      if (winner === null) return null;
      if (await isWinnerRestricted(months, { appId, timezone, now: new Date() }, winner, at)) return null;
      const position = await touchpointPosition(await live(), appId, winner.touchpointId);
      return position === null ? null : positionAtCommit(position);
    },
  };
}
