import type { OperatingSystem } from "./events.ts";

/** Returns the operating system that a user agent indicates, or null. */
type Policy = (userAgent: string) => OperatingSystem | null;

/** Windows phones also claim to be iPhones and Androids. */
const windows: Policy = (userAgent) => (/windows (?:phone|nt)/i.test(userAgent) ? "Web" : null);

/** Includes iOS-only browsers, which claim macOS on an iPad. Safari on an iPad cannot be recognised. */
const apple: Policy = (userAgent) => (/iphone|ipad|ipod|(?:fx|cr|edg|op)ios\//i.test(userAgent) ? "iOS" : null);

const android: Policy = (userAgent) => (/(?<!like )android/i.test(userAgent) ? "Android" : null);

const policies: readonly Policy[] = [windows, apple, android];

/** The operating system that a user agent names, in any case; `Web` unless it is a phone's. */
export function osOfUserAgent(userAgent: string): OperatingSystem {
  for (const policy of policies) {
    const os = policy(userAgent);
    if (os !== null) return os;
  }
  return "Web";
}

/**
 * The operating system of a client: decides both the destination (contract/tracking-links.md#opening) and the event's
 * `os` (contract/attribution.md#candidates), so that a redirect is recorded as it was routed, unless its URL describes
 * another device (contract/tracking-links.md#url-parameters).
 *
 * A `Sec-CH-UA-Platform` that names one phone system, quoted or not and in any case, overrides the user agent. Any
 * other value is ignored: device emulation in a desktop browser changes only the user agent.
 * @param fromUserAgent null if no user agent was sent
 */
export function detectOs(fromUserAgent: OperatingSystem | null, platformHint: string): OperatingSystem | null {
  const [, hinted] = /^"?(android|ios)"?$/i.exec(platformHint) ?? [];
  if (hinted === undefined) return fromUserAgent;
  return hinted.toLowerCase() === "ios" ? "iOS" : "Android";
}
