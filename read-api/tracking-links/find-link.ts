import { createHash } from "node:crypto";
import type { JSONSchema } from "json-schema-to-ts";
import { hasIdentifier, type LinkIdType, resolveLinkId } from "../../domain/tracking-links/link-ids.ts";
import { idType } from "../../infra/http/request/link-id-type.ts";
import type { Problem } from "../../infra/http/response/problem.ts";
import type { TrackingLinkRow } from "../../projections/tracking-links/queries.ts";

/** `idType` in the body of a GET. */
export const linkNamingBody = {
  type: "object",
  additionalProperties: false,
  properties: { idType },
} as const satisfies JSONSchema;

export const linkNotFound: Problem = { status: 404, code: "TRACKING_LINK_NOT_FOUND" };

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
