import type { Actor } from "../domain/event.ts";
import type { TokenRow } from "../projections/apps/queries.ts";

/** Labels of an app's tokens by their ids. */
export type TokenLabels = ReadonlyMap<string, string | null>;

export function labelsOf(tokens: readonly TokenRow[]): TokenLabels {
  return new Map(tokens.map(({ tokenId, label }) => [tokenId, label]));
}

/** The actor of an event in a response; a token has its label. */
export function actorResponse(actor: Actor, labels: TokenLabels) {
  return actor.kind === "token" ? { ...actor, label: labels.get(actor.tokenId) ?? null } : actor;
}
