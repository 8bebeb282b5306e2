import { normalIpAddress } from "../values/ip-address.ts";
import { firstCharacters, maxUserAgentLength, trimmedIdentifier } from "../values/text.ts";
import { advertisingIdOf } from "../values/uuid.ts";
import type { AppEventInput, DeviceInput } from "./app-event-input.ts";
import type { AppEventPerson, DeviceDescription } from "./events.ts";

const twoLetters = /^[A-Za-z]{2}$/;

/** The address and user agent of the device that sends its own events. */
export interface Connection {
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** Descriptions never reject an event (contract/ingest.md#event-fields): long ones are cut, others left out. */
export function describeDevice(device: DeviceInput): DeviceDescription {
  return withoutEmpty({
    os: device.os,
    osVersion: description(device.osVersion),
    model: description(device.model, 256),
    manufacturer: description(device.manufacturer, 256),
    type: description(device.type),
    language: description(device.language),
    country: countryOf(device.country),
    timezone: description(device.timezone),
    appVersion: description(device.appVersion),
  });
}

function description(value: unknown, maxLength = 128): string | undefined {
  return typeof value === "string" ? firstCharacters(value, maxLength) : undefined;
}

/** Any two letters, assigned to a country or not. */
function countryOf(value: unknown): string | undefined {
  return typeof value === "string" && twoLetters.test(value) ? value.toUpperCase() : undefined;
}

/** Who sent an event: what it says of the device and user, else what the connection shows. */
export function describePerson(
  { device, user, referrer }: AppEventInput,
  connection: Connection | null,
): AppEventPerson {
  const ip = device.ip || connection?.ip;
  return {
    deviceId: device.id,
    ...withoutEmpty({
      gaid: advertisingIdOf(device.gaid),
      idfa: advertisingIdOf(device.idfa),
      idfv: advertisingIdOf(device.idfv),
      ip: ip ? normalIpAddress(ip) : undefined,
      userAgent: description(device.userAgent, maxUserAgentLength) || connection?.userAgent,
      externalUserId: user?.externalUserId === undefined ? undefined : trimmedIdentifier(user.externalUserId),
      partnerDeviceId: user?.partnerDeviceId === undefined ? undefined : trimmedIdentifier(user.partnerDeviceId),
      installReferrer: referrer?.installReferrer,
      deeplinkUrl: referrer?.deeplinkUrl,
    }),
  };
}

function withoutEmpty<Members extends object>(
  members: Members,
): { [Key in keyof Members]?: Exclude<Members[Key], "" | null | undefined> } {
  const present: Partial<Members> = {};
  for (const key in members) if (members[key]) present[key] = members[key];
  return present as { [Key in keyof Members]?: Exclude<Members[Key], "" | null | undefined> };
}
