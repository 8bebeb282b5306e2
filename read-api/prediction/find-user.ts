import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { LastTouchpoint } from "../../domain/prediction/events.ts";
import type { Features } from "../../domain/prediction/features.ts";
import type { Identifier } from "../../domain/prediction/identifier.ts";
import { localDate } from "../../domain/values/local-time.ts";
import type { ContextQuery, ContextResult, FoundContext } from "../../projections/facts/app-events/context-lookup.ts";
import type { RestrictionQuery } from "../../projections/reports/masking/restricted-touchpoints.ts";
import type { FoundUser } from "./context-checks.ts";

export interface FindUserDeps {
  lookUp(query: ContextQuery): Promise<ContextResult>;
  /** The features of an install that has no stored ones yet. */
  computeFeatures(appId: number, installId: string): Promise<Features>;
  /** Whether a winner's data are withheld from everybody (contract/reports.md#masking). */
  isRestricted(touchpoint: RestrictionQuery): Promise<boolean>;
  /** Epoch milliseconds. */
  now(): number;
}

/**
 * The user of an identifier with the features and the attribution of their install (contract/prediction.md#checks).
 * Rejects as its dependencies do.
 */
export async function findUser(
  app: RegisteredApp,
  { kind, value }: Identifier,
  deps: FindUserDeps,
): Promise<FoundUser> {
  const found = await deps.lookUp({ appId: app.appId, salt: app.salt, kind, identifier: value });
  if (found.outcome !== "found") return found;
  const { outcome, userId, installId } = found;
  const [features, lastTouchpoint] = await Promise.all([
    found.features ?? deps.computeFeatures(app.appId, installId),
    lastTouchpointOf(app, found, deps),
  ]);
  return { outcome, userId, installId, features, lastTouchpoint };
}

/** `lastTouchpoint` (contract/prediction.md#last-touchpoint); null while the install's decision is not in the log. */
async function lastTouchpointOf(
  { appId, timezone }: RegisteredApp,
  { touchpoint, localDate: installedOn }: FoundContext,
  { isRestricted, now }: FindUserDeps,
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
