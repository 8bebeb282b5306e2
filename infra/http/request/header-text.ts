import { maxUserAgentLength } from "../../../domain/values/text.ts";

/** Characters. Parsing 60 KB of `Accept-Encoding` takes 50 ms, of other lists some milliseconds. */
const maxParsedLength = 1_024;

/** Whether a header has at most 1,024 characters; longer ones are not parsed (contract/limits.md#sizes). */
export function isShortEnoughToParse(header: string): boolean {
  return header.length <= maxParsedLength;
}

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
