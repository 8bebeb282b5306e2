import type { JSONSchema } from "json-schema-to-ts";
import { propertyLimits } from "../../domain/app-events/app-event-input.ts";

const text = (maxLength: number) => ({ type: "string", maxLength }) as const;

/** The body (contract/ingest.md#app-events). Each event is validated by itself. */
export const appEventsSchema = {
  type: "object",
  additionalProperties: false,
  required: ["events"],
  properties: { events: { type: "array", minItems: 1, maxItems: 500, items: {} } },
} as const satisfies JSONSchema;

/** What describes the device has no schema: it never rejects an event. An empty text counts as missing. */
const deviceSchema = {
  type: "object",
  additionalProperties: false,
  required: ["id"],
  properties: {
    id: { type: "string", minLength: 1, maxLength: 128 },
    os: { enum: ["Android", "iOS", "Web", ""] },
    osVersion: {},
    model: {},
    manufacturer: {},
    type: {},
    language: {},
    country: {},
    timezone: {},
    gaid: text(128),
    idfa: text(128),
    idfv: text(128),
    ip: { type: "string", format: "optional-ip-address" },
    userAgent: {},
    appVersion: {},
  },
} as const satisfies JSONSchema;

/**
 * The shape of one event (contract/ingest.md#event-fields). Lengths without a limit of their own are bounded so that no
 * event outgrows the log.
 */
export const appEventSchema = {
  type: "object",
  additionalProperties: false,
  required: ["eventId", "eventTimestamp", "category", "device"],
  properties: {
    eventId: text(64),
    eventTimestamp: { type: ["string", "number"], maxLength: 64 },
    source: { enum: ["app", "web", ""] },
    category: { type: "string" },
    action: text(1_024),
    label: text(1_024),
    value: { type: "number" },
    currency: text(64),
    properties: {
      type: "object",
      maxProperties: propertyLimits.members,
      propertyNames: { not: { const: "__proto__" } },
      additionalProperties: { type: ["string", "number", "boolean", "null"] },
    },
    device: deviceSchema,
    user: {
      type: "object",
      additionalProperties: false,
      properties: { externalUserId: text(256), partnerDeviceId: text(256) },
    },
    referrer: {
      type: "object",
      additionalProperties: false,
      properties: { clickId: text(1_024), installReferrer: text(8_192), deeplinkUrl: text(8_192) },
    },
  },
} as const satisfies JSONSchema;
