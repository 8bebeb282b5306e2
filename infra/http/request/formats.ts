import { isIP } from "node:net";
import type { Ajv2020 } from "ajv/dist/2020.js";
import standardFormats from "ajv-formats";
import { durationSeconds } from "../../../domain/attribution/duration.ts";
import { isChannelName } from "../../../domain/channels/channel-name.ts";
import { readWebAddress } from "../../../domain/tracking-links/destination.ts";
import { isCurrency } from "../../../domain/values/iso-4217.ts";
import { isLocalDate } from "../../../domain/values/local-time.ts";
import { isTimeZone } from "../../../domain/values/time-zones.ts";
import { parsedUrl } from "../../../domain/values/url.ts";

const hostName = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
const email =
  /^(?=.{3,254}$)[^\s@"(),:;<>[\\\]]{1,64}@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]*[a-z0-9])$/i;

/** Formats for schemas, besides the standard `date-time` and `uuid`. */
const formats: { readonly [name: string]: (text: string) => boolean } = {
  "channel-name": isChannelName,
  "conversion-value": (text) => conversionValue.test(text),
  "rules-duration": (text) => durationSeconds(text) !== null,
  email: (text) => email.test(text) && !text.includes(".."),
  "host-name": (text) => hostName.test(text),
  origin: isOrigin,
  "ios-app-id": (text) => iosAppId.test(text),
  "certificate-fingerprint": (text) => certificateFingerprint.test(text),
  "http-url": (text) => typeof readWebAddress(text) !== "string",
  "time-zone": isTimeZone,
  "optional-ip-address": (text) => text === "" || isIP(text) !== 0,
  currency: isCurrency,
  date: isLocalDate,
  position: isLogPosition,
  "position-or-instant": (text) => /^\d{1,19}$/.test(text) || isInstant(text),
};

/** The commit position of an event; the highest is that of the log and of Postgres. */
export function isLogPosition(text: string): boolean {
  return /^\d{1,19}$/.test(text) && BigInt(text) <= 9_223_372_036_854_775_807n;
}

/** A team id and a bundle id. */
const iosAppId = /^[A-Z0-9]{10}\.[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/;
/** SHA-256, as `keytool` prints it. */
const certificateFingerprint = /^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/;
const conversionValue = /^(\d|[1-5]\d|6[0-3]|low|medium|high)$/;
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** `https://`, a host of 253 characters and a port. */
export const maxOriginLength = 267;

/** Scheme, host and port of a web page, as browsers send it in `Origin`. */
function isOrigin(text: string): boolean {
  if (text.length > maxOriginLength) return false;
  const url = /^https?:/.test(text) ? parsedUrl(text) : null;
  return url !== null && url.origin === text && (hostName.test(url.hostname) || url.hostname.startsWith("["));
}

/** ISO 8601 with an offset from UTC, on a day that exists. */
function isInstant(text: string): boolean {
  return instant.test(text) && isLocalDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));
}

/** Adds the formats to a validator. */
export function addFormats(ajv: Ajv2020): Ajv2020 {
  standardFormats.default(ajv, ["date-time", "uuid"]);
  for (const [name, isOne] of Object.entries(formats)) ajv.addFormat(name, isOne);
  return ajv;
}
