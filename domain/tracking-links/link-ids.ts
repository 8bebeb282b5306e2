/** The kinds of identifier of a link (contract/tracking-links.md#naming). */
export const linkIdTypes = ["id", "shortId", "trackingTemplateId"] as const;
export type LinkIdType = (typeof linkIdTypes)[number];

export interface LinkIds {
  /** 1 to 2^53 - 1. */
  readonly linkId: number;
  /** 32 lower-case hex digits, the first 14 of which are the link id. */
  readonly templateId: string;
}

type Digest = (text: string) => Uint8Array;

// Without 0 o, 1 i l.
const alphabet = "23456789abcdefghjkmnpqrstuvwxyz";
const randomLength = 7;
const idDigits = 14;
/** The format of a short id (`customShortId`, contract/tracking-links.md#ids). */
export const shortIdPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{2,63}$/;

/** The link id and template id derived from the SHA-256 of a short id (contract/tracking-links.md#ids). */
export function linkIds(digest: Uint8Array): LinkIds {
  let first48 = 0;
  for (let index = 0; index < 6; index += 1) first48 = first48 * 256 + (digest[index] ?? 0);
  const linkId = Math.max(first48 * 32 + ((digest[6] ?? 0) >> 3), 1);
  let rest = "";
  for (let index = 7; index < 16; index += 1) rest += (digest[index] ?? 0).toString(16).padStart(2, "0");
  return { linkId, templateId: linkId.toString(16).padStart(idDigits, "0") + rest };
}

/** The link id inside a template id (contract/tracking-links.md#ids); null if the text is not a template id. */
export function linkIdOf(templateId: string): number | null {
  if (!/^[0-9a-f]{32}$/.test(templateId)) return null;
  const linkId = Number.parseInt(templateId.slice(0, idDigits), 16);
  return linkId >= 1 && linkId <= Number.MAX_SAFE_INTEGER ? linkId : null;
}

export function isShortId(text: string): boolean {
  return shortIdPattern.test(text);
}

/** A short id of 7 unambiguous characters from at least 8 random bytes (contract/tracking-links.md#ids). */
export function drawShortId(randomBytes: Uint8Array): string {
  let drawn = 0n;
  for (const byte of randomBytes.subarray(0, 8)) drawn = drawn * 256n + BigInt(byte);
  let shortId = "";
  while (shortId.length < randomLength) {
    shortId += alphabet.charAt(Number(drawn % 31n));
    drawn /= 31n;
  }
  return shortId;
}

/**
 * The id of the only link that can have an identifier; null if no link can. The link found under the id must still be
 * checked with {@link hasIdentifier}.
 */
export function resolveLinkId(idType: LinkIdType, text: string, sha256: Digest): number | null {
  switch (idType) {
    case "id":
      return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null;
    case "shortId":
      return linkIds(sha256(text)).linkId;
    case "trackingTemplateId":
      return linkIdOf(text);
  }
}

/** Whether the link that {@link resolveLinkId} led to has the identifier; an `id` is the one that it was found by. */
export function hasIdentifier(
  link: { readonly shortId: string; readonly templateId: string },
  idType: LinkIdType,
  text: string,
): boolean {
  switch (idType) {
    case "id":
      return true;
    case "shortId":
      return link.shortId === text;
    case "trackingTemplateId":
      return link.templateId === text;
  }
}
