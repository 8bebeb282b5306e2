import { randomInt } from "node:crypto";
import { base62, secretLength, type TokenTextKind, tokenText } from "../../domain/tokens/token-text.ts";
import { sha256 } from "../derived-ids.ts";

/**
 * SHA-256 of a token's text in two halves: the first names its stream, the other proves the rest
 * (contract/tokens.md#format).
 */
export interface SecretHash {
  readonly tokenId: string;
  readonly secretHashRest: string;
}

/** A new token's text; shown once, never stored. */
export function newTokenText(kind: TokenTextKind): string {
  const digits = Array.from({ length: secretLength }, () => base62.charAt(randomInt(base62.length)));
  return tokenText(kind, digits.join(""));
}

export function hashOfToken(text: string): SecretHash {
  const hex = sha256(text).toString("hex");
  return { tokenId: hex.slice(0, 32), secretHashRest: hex.slice(32) };
}
