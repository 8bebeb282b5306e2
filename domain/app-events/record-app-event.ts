import { type Fault, fault } from "../fault.ts";
import { decimalText } from "../values/decimals.ts";
import { type InstantFault, reportedInstant } from "../values/instants.ts";
import { normalIpAddress } from "../values/ip-address.ts";
import { firstCharacters, trimmedIdentifier } from "../values/text.ts";
import { advertisingIdOf, uuidOf } from "../values/uuid.ts";
import type { AppEventInput, DeviceInput } from "./app-event-input.ts";
import { isEventCategory } from "./categories.ts";
import { clickReference } from "./click-reference.ts";
import type { AppEventPerson, AppEventRecorded, DeviceDescription } from "./events.ts";

const maxPropertyBytes = 8 * 1024;
const maxUserAgentLength = 1_024;
const twoLetters = /^[A-Za-z]{2}$/;
const asciiOnly = /^[\0-\x7f]*$/;

/** Why an app event is rejected. */
export type AppEventFault = Fault<
  `${InstantFault}.app_event` | "INVALID_EVENT_ID" | "UNKNOWN_CATEGORY" | "UNKNOWN_CURRENCY" | "PROPERTIES_TOO_LARGE"
>;

/** The context of validation: the same for all events of a request. */
export interface AppEventContext {
  readonly appId: number;
  /** The app's, for values without a currency. */
  readonly currency: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly maxDaysBack: number;
  /**
   * Defaults for fields that an event leaves out; null if the caller is not the device
   * (contract/ingest.md#event-fields).
   */
  readonly connection: { readonly ip: string | null; readonly userAgent: string | null } | null;
  isCurrency(code: string): boolean;
}

/**
 * The data of the recorded event (contract/ingest.md#event-fields, contract/ingest.md#timestamps): ids in lower case,
 * codes in upper case, times in UTC, the value as exact decimal text; or the first fault.
 * @param deviceKey key of the device (contract/ingest.md#devices)
 */
export function recordAppEvent(
  sent: AppEventInput,
  deviceKey: string,
  context: AppEventContext,
): AppEventRecorded["data"] | AppEventFault {
  const eventId = uuidOf(sent.eventId);
  if (eventId === null) return fault("INVALID_EVENT_ID", ["eventId"]);
  const at = reportedInstant(sent.eventTimestamp, context.now, context.maxDaysBack);
  if (at === "TIMESTAMP_TOO_OLD") {
    return fault("TIMESTAMP_TOO_OLD.app_event", ["eventTimestamp"], { days: context.maxDaysBack });
  }
  if (typeof at === "string") return fault(`${at}.app_event`, ["eventTimestamp"]);
  if (!isEventCategory(sent.category)) return fault("UNKNOWN_CATEGORY", ["category"]);
  const currency = (sent.currency || context.currency).toUpperCase();
  if (!context.isCurrency(currency)) return fault("UNKNOWN_CURRENCY", ["currency"]);
  if (sent.properties !== undefined && utf8Length(JSON.stringify(sent.properties)) > maxPropertyBytes) {
    return fault("PROPERTIES_TOO_LARGE", ["properties"]);
  }
  return {
    eventId,
    appId: context.appId,
    at: new Date(at).toISOString(),
    source: sent.source ?? "app",
    category: sent.category,
    action: sent.action || null,
    label: sent.label || null,
    value: sent.value === undefined ? null : decimalText(sent.value),
    currency: sent.value === undefined ? null : currency,
    properties: sent.properties ?? null,
    deviceKey,
    device: describeDevice(sent.device),
    clickId: clickReference(sent.referrer),
    person: personOf(sent, context.connection),
  };
}

/** Descriptions never reject an event (contract/ingest.md#event-fields): long ones are cut, others left out. */
function describeDevice(sent: DeviceInput): DeviceDescription {
  return withoutEmpty({
    os: sent.os,
    osVersion: description(sent.osVersion),
    model: description(sent.model, 256),
    manufacturer: description(sent.manufacturer, 256),
    type: description(sent.type),
    language: description(sent.language),
    country: countryOf(sent.country),
    timezone: description(sent.timezone),
    appVersion: description(sent.appVersion),
  });
}

function description(sent: unknown, maxLength = 128): string | undefined {
  return typeof sent === "string" ? firstCharacters(sent, maxLength) : undefined;
}

/** Any two letters, assigned to a country or not. */
function countryOf(sent: unknown): string | undefined {
  return typeof sent === "string" && twoLetters.test(sent) ? sent.toUpperCase() : undefined;
}

function personOf(
  { device, user, referrer }: AppEventInput,
  connection: AppEventContext["connection"],
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
  const kept: Partial<Members> = {};
  for (const key in members) if (members[key]) kept[key] = members[key];
  return kept as { [Key in keyof Members]?: Exclude<Members[Key], "" | null | undefined> };
}

/** Bytes of a text in UTF-8; a lone surrogate counts as U+FFFD. */
function utf8Length(text: string): number {
  return asciiOnly.test(text) ? text.length : new TextEncoder().encode(text).byteLength;
}
