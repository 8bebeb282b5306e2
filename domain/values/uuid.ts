const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const nil = "00000000-0000-0000-0000-000000000000";

/** A UUID in lower case; null for any other text and for the nil UUID, which names nothing. */
export function uuidOf(text: string): string | null {
  return uuid.test(text) && text !== nil ? text.toLowerCase() : null;
}

/**
 * An advertising id (gaid, idfa, idfv) as both sides of a match spell it: lower case. null for an empty one and for
 * zeros, which every device sends that does not let itself be tracked.
 */
export function advertisingIdOf(text: string | undefined): string | null {
  return text === undefined || /^[0-]*$/.test(text) ? null : text.toLowerCase();
}
