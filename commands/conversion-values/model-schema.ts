import type { FromSchema } from "json-schema-to-ts";
import { maxAmount } from "../../domain/conversion-values/amounts.ts";
import type { ConversionModel, LockWindow, MeasuredEvent } from "../../domain/conversion-values/events.ts";
import { decimalText } from "../../domain/values/decimals.ts";

/** Of one conversion value. */
const maxEvents = 16;
const maxMappedEvents = 500;

const name = { type: "string", minLength: 1, maxLength: 128, title: "one-line", pattern: "^\\S(.*\\S)?$" } as const;
const amount = { type: "number", minimum: 0, maximum: maxAmount } as const;

const events = {
  type: "array",
  maxItems: maxEvents,
  items: {
    type: "object",
    required: ["eventName", "measurementType"],
    additionalProperties: false,
    properties: {
      eventName: name,
      measurementType: { type: "string", enum: ["engagement", "revenue", "retention"] },
      values: {
        type: "object",
        required: ["minAmount", "maxAmount"],
        additionalProperties: false,
        properties: { minAmount: amount, maxAmount: amount },
      },
    },
  },
} as const;

const fine = {
  type: "object",
  required: ["schema"],
  additionalProperties: false,
  properties: {
    schema: {
      type: "array",
      maxItems: 64,
      items: {
        type: "object",
        required: ["conversionValue", "events"],
        additionalProperties: false,
        properties: { conversionValue: { type: "integer", minimum: 0, maximum: 63 }, events },
      },
    },
    lockWindow: {
      type: ["object", "null"],
      required: ["type", "value"],
      additionalProperties: false,
      properties: {
        type: { type: "string", enum: ["event", "fine", "coarse"] },
        value: { type: ["string", "integer"], maxLength: 128, minimum: 0, maximum: 63 },
      },
    },
  },
} as const;

const coarse = {
  type: "object",
  required: ["schema"],
  additionalProperties: false,
  properties: {
    schema: {
      type: "array",
      maxItems: 3,
      items: {
        type: "object",
        required: ["conversionValue", "events"],
        additionalProperties: false,
        properties: { conversionValue: { type: "string", enum: ["low", "medium", "high"] }, events },
      },
    },
  },
} as const;

/**
 * Body of `PUT .../conversion-values` (contract/conversion-values.md#models): its shape and limits. `modelFaults` checks
 * the rules between fields.
 */
export const modelBody = {
  type: "object",
  required: ["configType", "postbacks"],
  additionalProperties: false,
  properties: {
    configType: { type: "string", enum: ["SKAN_3", "SKAN_4", "AAK_1"] },
    postbacks: {
      type: "array",
      minItems: 1,
      maxItems: 3,
      items: {
        type: "object",
        required: ["postbackSequenceIndex"],
        additionalProperties: false,
        properties: { postbackSequenceIndex: { type: "integer", minimum: 0, maximum: 2 }, fine, coarse },
      },
    },
  },
} as const;

/** Body of `PUT .../conversion-values/partners/{channel}` (contract/conversion-values.md#models). */
export const partnerBody = {
  type: "object",
  required: ["events"],
  additionalProperties: false,
  properties: {
    events: { type: "object", maxProperties: maxMappedEvents, propertyNames: name, additionalProperties: name },
  },
} as const;

type Body = FromSchema<typeof modelBody>;

/** The model that a body describes; amounts are kept as the shortest decimal text of their JSON numbers. */
export function modelOf({ configType, postbacks }: Body): ConversionModel {
  return {
    configType,
    postbacks: postbacks.map((postback) => ({
      postbackSequenceIndex: postback.postbackSequenceIndex,
      fine:
        postback.fine === undefined
          ? null
          : {
              schema: postback.fine.schema.map((value) => ({
                conversionValue: value.conversionValue,
                events: value.events.map(measuredEvent),
              })),
              lockWindow: lockWindowOf(postback.fine.lockWindow ?? null),
            },
      coarse:
        postback.coarse === undefined
          ? null
          : {
              schema: postback.coarse.schema.map((value) => ({
                conversionValue: value.conversionValue,
                events: value.events.map(measuredEvent),
              })),
            },
    })),
  };
}

function measuredEvent({ eventName, measurementType, values }: FromSchema<typeof events>[number]): MeasuredEvent {
  return {
    eventName,
    measurementType,
    values:
      values === undefined
        ? null
        : { minAmount: decimalText(values.minAmount), maxAmount: decimalText(values.maxAmount) },
  };
}

function lockWindowOf(
  lockWindow: { readonly type: LockWindow["type"]; readonly value: string | number } | null,
): LockWindow | null {
  // A value of the wrong type is not in the postback, so the decider rejects it.
  return lockWindow === null ? null : ({ type: lockWindow.type, value: lockWindow.value } as LockWindow);
}
