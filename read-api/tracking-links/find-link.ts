import { createHash } from "node:crypto";
import type { JSONSchema } from "json-schema-to-ts";
import { hasIdentifier, type LinkIdType, linkIdTypes, resolveLinkId } from "../../domain/tracking-links/link-ids.ts";
import type { TrackingLinkRow } from "../../projections/tracking-links/queries.ts";

const idType = { type: "string", enum: linkIdTypes } as const;

/**
 * `idType` is taken from the query too, which wins (contract/http.md#unknown-fields); unknown parameters are ignored.
 */
export const linkNamingQuery = { type: "object", properties: { idType } } as const satisfies JSONSchema;

/** `idType` in the body of a GET. */
export const linkNamingBody = {
  type: "object",
  additionalProperties: false,
  properties: { idType },
} as const satisfies JSONSchema;

/** A link of an app; null if the app has no link of that id. */
export type TrackingLinkOf = (appId: number, linkId: number) => Promise<TrackingLinkRow | null>;

/** A link of an app by an identifier of a kind; null if there is none. */
export async function findLink(
  trackingLinkOf: TrackingLinkOf,
  appId: number,
  idType: LinkIdType,
  text: string,
): Promise<TrackingLinkRow | null> {
  const linkId = resolveLinkId(idType, text, sha256);
  const found = linkId === null ? null : await trackingLinkOf(appId, linkId);
  return found !== null && hasIdentifier(found.link, idType, text) ? found : null;
}

function sha256(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
