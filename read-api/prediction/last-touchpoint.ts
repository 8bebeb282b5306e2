import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { LastTouchpoint } from "../../domain/prediction/events.ts";
import { localDate } from "../../domain/values/local-time.ts";
import type { FoundContext } from "../../projections/facts/app-events/context-lookup.ts";
import type { RestrictionQuery } from "../../projections/reports/masking/restricted-touchpoints.ts";

export interface LastTouchpointDeps {
  /** Whether a winner's data are withheld from everybody (contract/reports.md#masking). */
  isRestricted(touchpoint: RestrictionQuery): Promise<boolean>;
  /** Epoch milliseconds. */
  now(): number;
}

/** `lastTouchpoint` (contract/prediction.md#last-touchpoint); null while the install's decision is not in the log. */
export async function lastTouchpointOf(
  { appId, timezone }: RegisteredApp,
  { touchpoint, localDate: installedOn }: FoundContext,
  { isRestricted, now }: LastTouchpointDeps,
): Promise<LastTouchpoint | null> {
  if (touchpoint === null) return null;
  if (touchpoint === "unattributed") return channelAlone("unattributed");
  const { sourceChannel: channel, localDate: touchedOn, ...campaign } = touchpoint;
  const today = localDate(timezone, now());
  const query = { appId, channel, dates: [touchedOn, installedOn], today };
  return (await isRestricted(query)) ? channelAlone("restricted") : { channel, ...campaign };
}

function channelAlone(channel: "unattributed" | "restricted"): LastTouchpoint {
  return { channel, campaign: null, adGroup: null, adCreative: null, term: null };
}
