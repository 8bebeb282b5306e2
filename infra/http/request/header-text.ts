import { firstCharacters, maxUserAgentLength } from "../../../domain/values/text.ts";

/** Characters. Parsing 60 KB of `Accept-Encoding` takes 50 ms, of other lists some milliseconds. */
const maxParsedLength = 1_024;

/** Whether a header has at most 1,024 characters; longer ones are not parsed (contract/limits.md#sizes). */
export function isShortEnoughToParse(header: string): boolean {
  return header.length <= maxParsedLength;
}

/** A `User-Agent`, truncated to 1,024 characters. */
export function truncateUserAgent(userAgent: string): string {
  return firstCharacters(userAgent, maxUserAgentLength);
}
