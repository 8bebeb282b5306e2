import { normalIpAddress } from "../../domain/values/ip-address.ts";
import { advertisingIdOf } from "../../domain/values/uuid.ts";
import { idNumbers, type Numbering, wordNumbers } from "./typed-columns.ts";

/** The identifying properties of an event. */
export interface Seen {
  readonly deviceKey: string | null;
  readonly os: string | null;
  readonly osVersion: string | null;
  readonly person: { readonly gaid?: string; readonly idfa?: string; readonly idfv?: string; readonly ip?: string };
}

export const ids = ["device", "gaid", "idfa", "idfv"] as const;
/** What touchpoints are looked up by. */
export const matchKeys = [...ids, "address"] as const;
export const matchedProperties = [...matchKeys, "os", "osVersion"] as const;

/** Numbers of the properties by which an event matches; 0: absent. */
export type MatchNumbers = { readonly [property in (typeof matchedProperties)[number]]: number };

/** Returns a function that numbers the properties of events: equal ones have equal numbers. */
export function matchNumbering(): (seen: Seen) => MatchNumbers {
  const numberings = { ...eachOf(matchKeys, idNumbers), ...eachOf(["os", "osVersion"], wordNumbers) };
  return ({ deviceKey, os, osVersion, person }) => ({
    device: numberIn(numberings.device, deviceKey),
    gaid: numberIn(numberings.gaid, advertisingIdOf(person.gaid)),
    idfa: numberIn(numberings.idfa, advertisingIdOf(person.idfa)),
    idfv: numberIn(numberings.idfv, advertisingIdOf(person.idfv)),
    address: numberIn(numberings.address, person.ip === undefined ? null : normalIpAddress(person.ip).toLowerCase()),
    os: numberIn(numberings.os, os),
    osVersion: numberIn(numberings.osVersion, osVersion),
  });
}

function numberIn(numbering: Numbering, text: string | null | undefined): number {
  return text === null || text === undefined || text === "" ? 0 : numbering.numberOf(text);
}

/** A number as a key of the domain. */
export function keyOf(number: number): bigint | null {
  return number === 0 ? null : BigInt(number);
}

export function eachOf<Name extends string, Part>(
  names: readonly Name[],
  make: () => Part,
): { readonly [name in Name]: Part } {
  return Object.fromEntries(names.map((name) => [name, make()])) as { readonly [name in Name]: Part };
}
