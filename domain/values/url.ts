/**
 * The URL of a text, as browsers parse it; null if it is none. `URL.canParse` of Node 20 and 22 refuses hosts such as
 * `münchen.example` once V8 has optimised it.
 */
export function parsedUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** A percent-encoded part of a query, decoded; text that is not percent-encoded UTF-8 is returned as it is. */
export function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
