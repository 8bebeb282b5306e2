/** With the `u` flag only an unpaired surrogate matches. */
const notStorable = /[\0\p{Surrogate}]/u;

/** Whether a text has neither U+0000 nor an unpaired surrogate (contract/http.md#text): Postgres stores neither. */
export function isWellFormedText(text: string): boolean {
  return !notStorable.test(text);
}

/** {@link isWellFormedText} for every text and every key of a JSON value, however deep. */
export function isWellFormedJson(value: unknown): boolean {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === "string") {
      if (!isWellFormedText(next)) return false;
    } else if (typeof next === "object" && next !== null) {
      for (const [key, member] of Object.entries(next)) {
        if (!isWellFormedText(key)) return false;
        pending.push(member);
      }
    }
  }
  return true;
}

/** Characters of a user agent that are kept (contract/ingest.md#event-fields). */
export const maxUserAgentLength = 1_024;

/** The first code points of a text. A copy: a slice would keep the whole text in memory for as long as it is used. */
export function firstCharacters(text: string, count: number): string {
  return text.length <= count ? text : [...text.slice(0, 2 * count)].slice(0, count).join("");
}

/** Whether a text has more than `max` characters, which are code points; in constant time for long texts. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}

const whiteSpace = /\p{White_Space}/u;

/**
 * An identifier without Unicode white space at both ends (contract/prediction.md#request,
 * contract/ingest.md#event-fields). In linear time, unlike a regular expression.
 */
export function trimmedIdentifier(text: string): string {
  let start = 0;
  let end = text.length;
  // Every white-space character is one code unit.
  while (start < end && whiteSpace.test(text.charAt(start))) start += 1;
  while (start < end && whiteSpace.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
