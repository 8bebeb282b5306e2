import type { OperatingSystem, TouchpointPerson } from "../../domain/touchpoints/events.ts";
import { maxDestinationLength } from "../../domain/tracking-links/destination.ts";
import type { RoutingOverride } from "../../domain/tracking-links/routing-override.ts";
import {
  type CampaignParams,
  campaignFields,
  campaignKeys,
  type PublisherParams,
  publisherFields,
  publisherKeys,
} from "../../domain/values/campaign-params.ts";
import { normalIpAddress } from "../../domain/values/ip-address.ts";
import { isLongerThan, isWellFormedText, maxUserAgentLength } from "../../domain/values/text.ts";
import { parsedUrl } from "../../domain/values/url.ts";
import { advertisingIdOf } from "../../domain/values/uuid.ts";

/** The parameters in the URL of one touchpoint (contract/tracking-links.md#url-parameters). */
export interface UrlParameters {
  /** Override those of the link, field by field. */
  readonly campaignParams: CampaignParams;
  readonly publisher: PublisherParams;
  /** Null if the URL overrides no destination. */
  readonly routing: RoutingOverride | null;
  readonly person: TouchpointPerson;
  readonly os: OperatingSystem | null;
}

export type Query = { readonly [name: string]: unknown };
type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

const none: UrlParameters = { campaignParams: {}, publisher: {}, routing: null, person: {}, os: null };
/** Characters of a name, and of a partner's click id. */
export const maxNameLength = 256;
const maxIdLength = 128;

const operatingSystems = new Map<string, OperatingSystem>([
  ["android", "Android"],
  ["ios", "iOS"],
  ["web", "Web"],
]);
const routingKeys = {
  deeplink_url: "deeplinkUrl",
  fallback_ios: "ios",
  fallback_android: "android",
  fallback_desktop: "desktop",
} as const;

/**
 * Parses the parameters of a link's URL. An empty, too long or malformed value counts as absent: a bad parameter must
 * not prevent the redirect.
 */
export function urlParameters(query: Query | null): UrlParameters {
  if (query === null) return none;
  const campaignParams: Writable<CampaignParams> = {};
  for (const key of campaignKeys) {
    const value = readParameter(query, key, maxNameLength);
    if (value !== undefined) campaignParams[campaignFields[key]] = value;
  }
  const publisher: Writable<PublisherParams> = {};
  for (const key of publisherKeys) {
    const value = readParameter(query, key, maxNameLength);
    if (value !== undefined) publisher[publisherFields[key]] = value;
  }
  const os = (readParameter(query, "os", maxIdLength) ?? "").toLowerCase();
  return {
    campaignParams,
    publisher,
    routing: routingOf(query),
    person: personOf(query),
    os: operatingSystems.get(os) ?? null,
  };
}

/** Whether a URL is that of an impression (`ad_type=view`, contract/tracking-links.md#addresses). */
export function isImpressionUrl(query: Query | null): boolean {
  return query !== null && readParameter(query, "ad_type", maxNameLength) === "view";
}

/** A parameter's last value; undefined unless it has 1 to `maxLength` storable characters. */
export function readParameter(query: Query, name: string, maxLength: number): string | undefined {
  const values = query[name];
  const value: unknown = Array.isArray(values) ? values.at(-1) : values;
  if (typeof value !== "string" || value === "" || isLongerThan(value, maxLength)) return undefined;
  return isWellFormedText(value) ? value : undefined;
}

function routingOf(query: Query): RoutingOverride | null {
  const override: Writable<RoutingOverride> = {};
  let hasOverride = false;
  for (const [key, field] of Object.entries(routingKeys)) {
    const value = readParameter(query, key, maxDestinationLength);
    if (value === undefined) continue;
    override[field] = value;
    hasOverride = true;
  }
  return hasOverride ? override : null;
}

function personOf(query: Query): TouchpointPerson {
  const person: Writable<TouchpointPerson> = {};
  for (const key of ["gaid", "idfa", "idfv"] as const) {
    const value = advertisingIdOf(readParameter(query, key, maxIdLength));
    if (value !== null) person[key] = value;
  }
  const deviceId = readParameter(query, "device_id", maxIdLength);
  if (deviceId !== undefined) person.deviceId = deviceId;
  const partnerClickId = readParameter(query, "click_id", maxNameLength);
  if (partnerClickId !== undefined) person.partnerClickId = partnerClickId;
  const ip = readParameter(query, "ip", maxIdLength);
  const address = ip === undefined ? null : ipAddressOf(ip);
  if (address !== null) person.ip = address;
  const userAgent = readParameter(query, "user_agent", maxUserAgentLength);
  if (userAgent !== undefined) person.userAgent = userAgent;
  return person;
}

/**
 * The normal form of an address; null for other text. Unlike `isIP` of Node.js it refuses zones such as that of
 * `fe80::1%eth0`, which have a meaning on one machine only, and accepts leading zeros in IPv4.
 */
function ipAddressOf(text: string): string | null {
  if (text.includes(":")) {
    return /^[\da-f:.]+$/i.test(text) && parsedUrl(`http://[${text}]/`) !== null ? normalIpAddress(text) : null;
  }
  const parts = text.split(".");
  const isAddress = parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
  return isAddress ? parts.map(Number).join(".") : null;
}
