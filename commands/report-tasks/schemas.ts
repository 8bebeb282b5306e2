import { actualsLimits, filterTypes } from "../../domain/reporting/catalogue.ts";

const texts = { type: "array", items: { type: "string" } } as const;

/** A: actuals body. What only the catalogue and the calendar know is checked after it (`checkActualsQuery`). */
export const actualsBody = {
  type: "object",
  required: ["from", "to", "groupBys", "metrics", "filters", "sorts"],
  additionalProperties: false,
  properties: {
    from: { type: "string" },
    to: { type: "string" },
    groupBys: { ...texts, maxItems: actualsLimits.groupBys },
    metrics: { ...texts, minItems: 1, maxItems: actualsLimits.metrics },
    filters: {
      type: "array",
      maxItems: actualsLimits.filters,
      items: {
        type: "object",
        required: ["filterType"],
        additionalProperties: false,
        properties: {
          dimension: { type: "string" },
          field: { type: "string" },
          filterType: { type: "string", enum: filterTypes },
          values: texts,
        },
      },
    },
    sorts: {
      type: "array",
      maxItems: actualsLimits.groupBys + actualsLimits.metrics,
      items: {
        type: "object",
        required: ["fieldName", "isAscending"],
        additionalProperties: false,
        properties: { fieldName: { type: "string" }, isAscending: { type: "boolean" } },
      },
    },
    asOf: {
      type: ["string", "integer"],
      format: "log position or instant",
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
    },
    option: { type: "object", additionalProperties: false },
  },
} as const;
