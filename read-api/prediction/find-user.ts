import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { Features } from "../../domain/prediction/features.ts";
import type { Identifier } from "../../domain/prediction/identifier.ts";
import type { ContextQuery, ContextResult } from "../../projections/facts/app-events/context-lookup.ts";
import type { FoundUser } from "./context-checks.ts";
import { type LastTouchpointDeps, lastTouchpointOf } from "./last-touchpoint.ts";

export interface FindUserDeps extends LastTouchpointDeps {
  lookUp(query: ContextQuery): Promise<ContextResult>;
  /** The features of an install that has no stored ones yet. */
  computeFeatures(appId: number, installId: string): Promise<Features>;
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
