import { hash } from "node:crypto";

const maxCached = 50_000;
/** Characters of a text that is cached: what anyone can send may be longer, and would fill the memory. */
const maxCachedLength = 512;
const cached = new Map<string, bigint>();

/**
 * A signed 64-bit key of a text, the same in every process: the key of dimension rows and identifiers. A `Hash` object
 * would take twice as long.
 */
export function hashKey(text: string): bigint {
  const hex = hash("sha256", text, "hex");
  return BigInt.asIntN(64, BigInt(`0x${hex.slice(0, 16)}`));
}

/** {@link hashKey} of a text that is likely to be hashed again soon. */
export function cachedHashKey(text: string): bigint {
  if (text.length > maxCachedLength) return hashKey(text);
  const known = cached.get(text);
  if (known !== undefined) return known;
  const key = hashKey(text);
  if (cached.size >= maxCached) cached.clear();
  cached.set(text, key);
  return key;
}
