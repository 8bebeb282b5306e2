import { createHash } from "node:crypto";

/** A signed 64-bit key of a text, the same in every process: what dimension rows and match keys are found by. */
export function hashKey(text: string): bigint {
  return createHash("sha256").update(text).digest().readBigInt64BE(0);
}
