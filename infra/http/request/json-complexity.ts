/**
 * Maximum objects, arrays and their members in a JSON body (contract/limits.md#sizes): to parse and validate as many takes
 * 25 ms, and would take over a second for the members that fit 5 MiB.
 */
export const maxMembers = 50_000;

const quote = 0x22;
const backslash = 0x5c;
const brace = 0x7b;
const bracket = 0x5b;
const comma = 0x2c;

/**
 * Whether a JSON text has more than `max` objects, arrays and further members of them: the characters `{`, `[` and `,`
 * outside strings. Parsing 10 MB of them takes over a second; counting them takes about 10 ms.
 */
export function hasMoreMembers(json: Buffer, max: number): boolean {
  if (json.length <= max) return false;
  let count = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === quote) at = endOfString(json, at);
    else if (byte === comma || byte === brace || byte === bracket) count += 1;
    if (count > max) return true;
  }
  return false;
}

/** The number of those in the JSON text of a value. The text that it was parsed from has more if a key is repeated. */
export function membersOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.reduce<number>((count, member) => count + membersOf(member), Math.max(1, members.length));
}

/** The index of the quote that ends the string at `start`; the length of the text when there is none. */
function endOfString(json: Buffer, start: number): number {
  let end = start;
  do end = json.indexOf(quote, end + 1);
  while (end !== -1 && isEscaped(json, end));
  return end === -1 ? json.length : end;
}

function isEscaped(json: Buffer, at: number): boolean {
  let before = at - 1;
  while (json[before] === backslash) before -= 1;
  return (at - before) % 2 === 0;
}
