const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const nil = "00000000-0000-0000-0000-000000000000";

/** A UUID in lower case; null for any other text and for the nil UUID. */
export function uuidOf(text: string): string | null {
  return uuid.test(text) && text !== nil ? text.toLowerCase() : null;
}

/**
 * An advertising id (gaid, idfa, idfv) in lower case, for matching. Null if it is empty or all zeros, which devices
 * with limited ad tracking send.
 */
export function advertisingIdOf(text: string | undefined): string | null {
  return text === undefined || /^[0-]*$/.test(text) ? null : text.toLowerCase();
}
