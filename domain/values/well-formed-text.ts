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
