import { normalIpAddress } from "../../../domain/values/ip-address.ts";
import { advertisingIdOf } from "../../../domain/values/uuid.ts";
import { cachedHashKey } from "../../hash-key.ts";
import type { Columns } from "../sql/unnest.ts";

/**
 * The identifiers, besides the device key, by which touchpoints and app events match (contract/attribution.md#candidates),
 * as hash keys; null when missing.
 */
export interface IdentifierKeys {
  readonly gaidKey: bigint | null;
  readonly idfaKey: bigint | null;
  readonly idfvKey: bigint | null;
  readonly ipKey: bigint | null;
}

/** {@link IdentifierKeys} as columns. */
export const identifierColumns: Columns<IdentifierKeys> = {
  gaid_key: { type: "bigint", of: ({ gaidKey }) => gaidKey },
  idfa_key: { type: "bigint", of: ({ idfaKey }) => idfaKey },
  idfv_key: { type: "bigint", of: ({ idfvKey }) => idfvKey },
  ip_key: { type: "bigint", of: ({ ipKey }) => ipKey },
};

interface Person {
  readonly gaid?: string;
  readonly idfa?: string;
  readonly idfv?: string;
  readonly ip?: string;
}

/**
 * Keys of the identifiers of an event. Empty ids and ids of only zeros (tracking is off) have none. The app's `salt`
 * keeps anyone from linking a person across apps, or finding an address by trying all.
 */
export function identifierKeysOf({ gaid, idfa, idfv, ip }: Person, salt: string): IdentifierKeys {
  return {
    gaidKey: advertisingKey(`${salt}:gaid`, gaid),
    idfaKey: advertisingKey(`${salt}:idfa`, idfa),
    idfvKey: advertisingKey(`${salt}:idfv`, idfv),
    ipKey: ip === undefined || ip === "" ? null : cachedHashKey(`${salt}:ip:${normalIpAddress(ip)}`),
  };
}

/** Key of the advertiser's id of a user, by the app's salt; null without one. */
export function userKeyOf(externalUserId: string | undefined, salt: string): bigint | null {
  return externalUserId === undefined || externalUserId === "" ? null : cachedHashKey(`${salt}:user:${externalUserId}`);
}

function advertisingKey(kind: string, id: string | undefined): bigint | null {
  const normal = advertisingIdOf(id);
  return normal === null ? null : cachedHashKey(`${kind}:${normal}`);
}
