import type { JSONSchema } from "json-schema-to-ts";
import { longestDestination } from "../../domain/tracking-links/destination.ts";

const name = { type: "string", minLength: 1, maxLength: 256 } as const;
const nullableName = { type: ["string", "null"], minLength: 1, maxLength: 256 } as const;
const nullableDestination = { type: ["string", "null"], minLength: 1, maxLength: longestDestination } as const;

/** A: create body; D4.1, D4.2, D4.4. */
export const createLinkBody = {
  type: "object",
  required: ["channel"],
  additionalProperties: false,
  properties: {
    channel: name,
    campaignParams: {
      type: "object",
      additionalProperties: false,
      properties: {
        campaign: name,
        ad_group: name,
        ad_creative: name,
        content: name,
        term: name,
        sub_id: name,
        sub_id_1: name,
        sub_id_2: name,
        sub_id_3: name,
        campaign_id: name,
        ad_group_id: name,
        ad_creative_id: name,
        term_id: name,
      },
    },
    isReengagement: { enum: ["OFF", "ON-TRUE", "ON-FALSE"] },
    deeplinkUrl: nullableDestination,
    fallbackPaths: {
      type: "object",
      additionalProperties: false,
      properties: {
        ios: nullableDestination,
        android: nullableDestination,
        desktop: nullableDestination,
        option: {
          type: "object",
          additionalProperties: false,
          properties: { iosCustomProductPageId: nullableName, androidCustomStoreListing: nullableName },
        },
      },
    },
    ogTag: {
      type: "object",
      additionalProperties: false,
      properties: {
        title: { type: "string", maxLength: 256 },
        description: { type: "string", maxLength: 1024 },
        imageUrl: { type: "string", minLength: 1, maxLength: longestDestination },
      },
    },
    customShortId: { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{2,63}$" },
  },
} as const satisfies JSONSchema;
