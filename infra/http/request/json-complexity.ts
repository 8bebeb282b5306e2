const quote = 0x22;
const backslash = 0x5c;
const brace = 0x7b;
const bracket = 0x5b;
const comma = 0x2c;

/**
 * Whether a JSON text has more than `most` marks outside its strings: what begins an object, an array, or a further
 * member of one. So much can be known before it is parsed, which takes a second and more where ten million bytes are
 * nothing but marks; counting them takes some ten milliseconds.
 */
export function exceedsComplexity(json: Buffer, most: number): boolean {
  if (json.length <= most) return false;
  let count = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === quote) at = endOfString(json, at);
    else if (byte === comma || byte === brace || byte === bracket) count += 1;
    if (count > most) return true;
  }
  return false;
}

/** How many marks a parsed value takes to write; its text has more where an object names a key twice. */
export function complexityOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.reduce<number>((marks, member) => marks + complexityOf(member), Math.max(1, members.length));
}

/** Where the string ends that begins at `start`; the end of the text when it does not. */
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
