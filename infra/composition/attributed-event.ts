import type { AttributedEvent, OpenDeferredDeps } from "../../commands/tracking-links/open-deferred.ts";
import { touchpointPosition } from "../../projections/facts/queries.ts";
import type { ReadModel } from "../../projections/projection.ts";
import { shownAttribution } from "../../projections/reports/attributions/shown-attribution.ts";

/** How a target event was attributed, and where the log has the click that won it. */
export function attributedEventReader(live: () => Promise<ReadModel>): OpenDeferredDeps["attributedEvent"] {
  return async ({ appId, timezone }, eventId): Promise<AttributedEvent> => {
    const facts = await live();
    const attribution = await shownAttribution(facts, { appId, timezone, eventId, now: new Date() });
    if (attribution.outcome !== "decided") return attribution.outcome;
    const { category, at, winner } = attribution.latest.decision;
    const touchpointId = winner?.touchpointId ?? null;
    const position = touchpointId === null ? null : await touchpointPosition(facts, appId, touchpointId);
    return { category, at, click: position === null ? null : { commit: position, prepare: position } };
  };
}
