const maxUserAgentLength = 1_024;

/**
 * The beginning of a text, copied: a slice would keep the whole text in memory for as long as the slice is used. Never ends
 * in an unpaired surrogate, which could not be stored (contract/http.md#text).
 */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const start = text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "");
  return Buffer.from(start, "utf16le").toString("utf16le");
}

/** A `User-Agent`, truncated to 1,024 characters. */
export function truncateUserAgent(userAgent: string): string {
  return truncate(userAgent, maxUserAgentLength);
}
