import type { ObjectSchema } from "fast-json-stringify";
import { actualsLimits } from "../../domain/reporting/catalogue.ts";

/** A: actuals GET, D7.6. */
export const actualsPageQuery = {
  type: "object",
  properties: {
    skip: { type: "integer", minimum: 0 },
    size: { type: "integer", minimum: 1, maximum: actualsLimits.page },
    keyword: { type: "string" },
    viewFormat: { type: "boolean" },
    format: { type: "string", enum: ["json", "csv"] },
  },
} as const;

const text = { type: "string" } as const;
const count = { type: "integer" } as const;

/** The answer with rows: what its serialiser is made from. */
export const actualsPage: ObjectSchema = {
  type: "object",
  required: ["task", "actuals", "pagination", "notifications"],
  properties: {
    task: {
      type: "object",
      required: ["status", "taskId", "endedAt", "asOfPosition"],
      properties: { status: text, taskId: text, endedAt: text, asOfPosition: text },
    },
    actuals: {
      type: "object",
      required: ["data", "metadata"],
      properties: {
        data: {
          type: "object",
          required: ["rows"],
          properties: {
            rows: {
              type: "array",
              items: {
                type: "object",
                required: ["values", "groupBys"],
                properties: {
                  values: {
                    type: "object",
                    additionalProperties: {
                      type: "object",
                      required: ["value", "isMasked", "viewFormat"],
                      properties: {
                        value: { type: ["number", "null"] },
                        isMasked: { type: "boolean" },
                        viewFormat: { type: ["string", "null"] },
                      },
                    },
                  },
                  groupBys: { type: "array", items: text },
                },
              },
            },
          },
        },
        metadata: { type: "object", required: ["rowCount"], properties: { rowCount: count } },
      },
    },
    pagination: {
      type: "object",
      required: ["hasNext", "totalCount"],
      properties: { hasNext: { type: "boolean" }, totalCount: count },
    },
    notifications: {
      type: "array",
      items: {
        type: "object",
        required: ["code", "type", "message"],
        properties: { code: text, type: text, message: text },
      },
    },
  },
};
