/** The host of a URL, with its user and port. Browsers drop tabs and line ends. */
const authority = /^[^:/\\?#]*:[/\\\t\r\n]*([^/\\?#]*)/;
/** A name has at most 253 characters, 2,277 if each is three bytes of UTF-8 that are percent-encoded. */
const maxCharacters = 253;
const maxEncoded = 2_500;

/**
 * The URL of a text, as browsers parse it; null if it is none, and if its host is longer than any: to convert 8,000
 * characters that are not ASCII takes 0.4 s. `URL.canParse` of Node 20 and 22 refuses hosts such as `münchen.example`
 * once V8 has optimised it.
 */
export function parsedUrl(text: string): URL | null {
  const [, host = ""] = authority.exec(text) ?? [];
  if (host.length > maxEncoded || (host.length > maxCharacters && charactersBeyondAscii(host) > maxCharacters))
    return null;
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function charactersBeyondAscii(text: string): number {
  return text.replace(/\p{ASCII}+/gu, "").length;
}

/** Text whose percent-escapes are well-formed UTF-8 (RFC 3629, section 4). */
const percentEncoded = new RegExp(
  `^(?:${[
    "[^%]",
    "%[0-7]#",
    "%(?:c[2-9a-f]|d#)%[89ab]#",
    "%e0%[ab]#%[89ab]#",
    "%e[1-9abcef]%[89ab]#%[89ab]#",
    "%ed%[89]#%[89ab]#",
    "%f0%[9ab]#%[89ab]#%[89ab]#",
    "%f[1-3]%[89ab]#%[89ab]#%[89ab]#",
    "%f4%8#%[89ab]#%[89ab]#",
  ]
    .join("|")
    .replaceAll("#", "[\\da-f]")})*$`,
  "i",
);

/**
 * A percent-encoded text, decoded; null if it is not percent-encoded UTF-8. `decodeURIComponent` throws for such text,
 * which takes ten times as long: 60 KB of URL hold 20,000 bad escapes.
 */
export function percentDecoded(text: string): string | null {
  if (!text.includes("%")) return text;
  return percentEncoded.test(text) ? decodeURIComponent(text) : null;
}

/** A percent-encoded part of a query, decoded; text that is not percent-encoded UTF-8 is returned as it is. */
export function decodedOrSame(text: string): string {
  return percentDecoded(text.replaceAll("+", " ")) ?? text;
}
