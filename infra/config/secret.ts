const minLength = 32;
/** With the scheme, such a token fits the longest `Authorization` header that is read. */
const maxLength = 1_000;

/** Why a text cannot be a secret, as the end of a sentence about it; null if it can (docs/configuration.md). */
export function faultOfSecret(text: string): string | null {
  // The characters of a bearer token (RFC 6750).
  if (!/^[A-Za-z0-9\-._~+/]*=*$/.test(text)) return "may hold letters, digits, - . _ ~ + / and, at its end, = only.";
  if (text.length >= minLength && text.length <= maxLength) return null;
  return `must have at least ${minLength} characters, and at most ${maxLength}; it has ${text.length}.`;
}
