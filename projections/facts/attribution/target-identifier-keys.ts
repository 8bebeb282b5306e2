import { cachedHashKey } from "../../hash-key.ts";
import type { IdentifierKeys } from "../touchpoints/identifier-keys.ts";

/** What a touchpoint and a target event can be matched by; null: not there. */
export interface Matchable extends IdentifierKeys {
  readonly clickId: string | null;
  readonly deviceKey: string | null;
  readonly os: string | null;
}

/**
 * One number for each thing that something can be matched by (contract/attribution.md#candidates): whoever matches has
 * one in common, and hardly anybody else has. They only find; what matches is told by the things themselves. An address
 * counts with its system, without which it matches nothing.
 */
export function targetIdentifierKeysOf({ clickId, deviceKey, ipKey, os, ...keys }: Matchable): readonly bigint[] {
  const found = new Set<bigint>();
  for (const id of [clickId, deviceKey]) if (id !== null) found.add(keyOfUuid(id));
  for (const key of [keys.gaidKey, keys.idfaKey, keys.idfvKey]) if (key !== null) found.add(key);
  if (ipKey !== null && os !== null) found.add(ipKey ^ cachedHashKey(`os:${os}`));
  return [...found];
}

/** Both halves of it in one: a hash would cost more than all the rest. */
function keyOfUuid(id: string): bigint {
  const first = BigInt(`0x${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(14, 18)}`);
  const last = BigInt(`0x${id.slice(19, 23)}${id.slice(24)}`);
  return BigInt.asIntN(64, first ^ last);
}
