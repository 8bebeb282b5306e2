import type { OperatingSystem } from "./events.ts";

/** What a user agent gives its device away as; null: nothing. */
type Policy = (userAgent: string) => OperatingSystem | null;

/** Phones with Windows claim to be iPhones and Androids too. */
const windows: Policy = (userAgent) => (/windows (?:phone|nt)/i.test(userAgent) ? "Web" : null);

/**
 * Also browsers that exist for iOS alone, which on an iPad claim to run on a Mac. Safari there cannot be told from one.
 */
const apple: Policy = (userAgent) => (/iphone|ipad|ipod|(?:fx|cr|edg|op)ios\//i.test(userAgent) ? "iOS" : null);

const android: Policy = (userAgent) => (/(?<!like )android/i.test(userAgent) ? "Android" : null);

const policies: readonly Policy[] = [windows, apple, android];

/** What a user agent says, in whatever case: every one says something, `Web` where it names no phone's system. */
export function osOfUserAgent(userAgent: string): OperatingSystem {
  for (const policy of policies) {
    const os = policy(userAgent);
    if (os !== null) return os;
  }
  return "Web";
}

/**
 * The system of a visitor's device: the one decision that both the destination (contract/tracking-links.md#opening) and
 * the event's `os` (contract/attribution.md#candidates) follow from. A redirect is so recorded as what it was answered
 * as, unless its URL says whom it describes (contract/tracking-links.md#url-parameters).
 *
 * The browser's `Sec-CH-UA-Platform` counts before the user agent where it is the name of one phone's system, quoted or
 * not and in whatever case. Any other (a desktop's, an unknown one, several at once) says nothing: who wants to be
 * answered as a phone on a desktop changes the user agent alone.
 * @param said what the user agent says; null when none was sent
 */
export function detectOs(said: OperatingSystem | null, platformHint: string): OperatingSystem | null {
  const [, hinted] = /^"?(android|ios)"?$/i.exec(platformHint) ?? [];
  if (hinted === undefined) return said;
  return hinted.toLowerCase() === "ios" ? "iOS" : "Android";
}
