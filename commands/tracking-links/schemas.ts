import type { JSONSchema } from "json-schema-to-ts";
import { maxDestinationLength } from "../../domain/tracking-links/destination.ts";
import { shortIdPattern } from "../../domain/tracking-links/link-ids.ts";
import { idType } from "../../infra/http/request/link-id-type.ts";

const name = { type: "string", minLength: 1, maxLength: 256 } as const;
const nullableName = { type: ["string", "null"], minLength: 1, maxLength: 256 } as const;
const nullableDestination = { type: ["string", "null"], minLength: 1, maxLength: maxDestinationLength } as const;

const fallbackOption = {
  type: ["object", "null"],
  additionalProperties: false,
  properties: { iosCustomProductPageId: nullableName, androidCustomStoreListing: nullableName },
} as const;
const fallbackPaths = {
  type: ["object", "null"],
  additionalProperties: false,
  properties: {
    ios: nullableDestination,
    android: nullableDestination,
    desktop: nullableDestination,
    option: fallbackOption,
  },
} as const;
const ogTag = {
  title: { type: "string", maxLength: 256 },
  description: { type: "string", maxLength: 1024 },
  imageUrl: { type: "string", minLength: 1, maxLength: maxDestinationLength },
} as const;

const campaignProperties = <Value>(value: Value) => ({
  ...{ campaign: value, ad_group: value, ad_creative: value, content: value, term: value },
  ...{ sub_id: value, sub_id_1: value, sub_id_2: value, sub_id_3: value },
  ...{ campaign_id: value, ad_group_id: value, ad_creative_id: value, term_id: value },
});

/** Body of a creation (contract/tracking-links.md#creating). */
export const createLinkBody = {
  type: "object",
  required: ["channel"],
  additionalProperties: false,
  properties: {
    channel: name,
    campaignParams: {
      type: "object",
      additionalProperties: false,
      properties: campaignProperties(name),
    },
    isReengagement: { enum: ["OFF", "ON-TRUE", "ON-FALSE"] },
    deeplinkUrl: nullableDestination,
    fallbackPaths,
    ogTag: {
      type: "object",
      additionalProperties: false,
      properties: ogTag,
    },
    customShortId: { type: "string", title: "short-id", pattern: shortIdPattern.source },
  },
} as const satisfies JSONSchema;

/** Body of a change of the preview (contract/tracking-links.md#changing). */
export const ogTagBody = {
  type: "object",
  required: ["title", "description", "imageUrl"],
  additionalProperties: false,
  properties: { idType, ...ogTag },
} as const satisfies JSONSchema;

/** Body of a change of the routing (contract/tracking-links.md#changing). */
export const routingBody = {
  type: "object",
  additionalProperties: false,
  properties: { idType, deeplinkUrl: nullableDestination, fallbackPaths, option: fallbackOption },
} as const satisfies JSONSchema;

/** Body of a change of the campaign parameters (contract/tracking-links.md#changing). */
export const campaignParamsBody = {
  type: "object",
  additionalProperties: false,
  properties: {
    idType,
    campaignParams: {
      type: ["object", "null"],
      additionalProperties: false,
      properties: campaignProperties(nullableName),
    },
  },
} as const satisfies JSONSchema;

/** Body of `POST /v1/tracking-links/open` (contract/tracking-links.md#deferred-deep-links). */
export const openDeferredBody = {
  type: "object",
  required: ["eventId"],
  additionalProperties: false,
  properties: { eventId: { type: "string", minLength: 1, maxLength: 64 } },
} as const satisfies JSONSchema;
