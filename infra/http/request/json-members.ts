const quote = 0x22;
const backslash = 0x5c;
const brace = 0x7b;
const bracket = 0x5b;
const comma = 0x2c;

/**
 * Whether a JSON text has more than `max` marks, which are the characters `{`, `[` and `,` outside strings. Parsing 10 MB
 * of marks takes over a second; counting them takes about 10 ms.
 */
export function exceedsComplexity(json: Buffer, max: number): boolean {
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

/** The number of marks in the JSON text of a value. The text that it was parsed from has more if a key is repeated. */
export function complexityOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.reduce<number>((marks, member) => marks + complexityOf(member), Math.max(1, members.length));
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
