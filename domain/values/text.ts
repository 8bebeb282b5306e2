/** With the `u` flag a surrogate matches only when it stands alone. */
const notStorable = /[\0\p{Surrogate}]/u;

/** Whether a text holds neither U+0000 nor a lone surrogate (contract/http.md#text): what Postgres can store. */
export function isWellFormedText(text: string): boolean {
  return !notStorable.test(text);
}

/** Whether that holds for every text and every key of a JSON value. */
export function isWellFormedJson(value: unknown): boolean {
  if (typeof value === "string") return isWellFormedText(value);
  if (typeof value !== "object" || value === null) return true;
  for (const [key, member] of Object.entries(value)) {
    if (!isWellFormedText(key) || !isWellFormedJson(member)) return false;
  }
  return true;
}

const whiteSpace = /\p{White_Space}/u;

/**
 * An identifier as it is compared: without Unicode white space at both ends, with all of it inside
 * (contract/prediction.md#request, contract/ingest.md#event-fields). One that is empty then names nobody. Takes time
 * linear in the text, which a regular expression of both ends would not.
 */
export function trimmedIdentifier(text: string): string {
  let start = 0;
  let end = text.length;
  // All white space is in the first plane: each is one code unit.
  while (start < end && whiteSpace.test(text.charAt(start))) start += 1;
  while (start < end && whiteSpace.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
