import type { FromSchema } from "json-schema-to-ts";
import { reportLimits } from "../../domain/reporting/limits.ts";
import { measurementOptions, validateRetentionQuery } from "../../domain/reporting/retention/query.ts";
import { startCategories } from "../../domain/reporting/return-events.ts";
import type { ReportRequest } from "./request-route.ts";
import { eventsField, granularityField, groupByField, rangeFields, returnEventsField, sortsField } from "./schemas.ts";

const body = {
  type: "object",
  required: [
    "from",
    "to",
    "granularity",
    "startEvent",
    "returnEvents",
    "measurementOption",
    "groupBy",
    "filters",
    "sorts",
  ],
  additionalProperties: false,
  properties: {
    ...rangeFields,
    granularity: granularityField,
    startEvent: eventsField(Object.keys(startCategories) as (keyof typeof startCategories)[]),
    returnEvents: returnEventsField,
    measurementOption: { type: "string", enum: measurementOptions },
    groupBy: groupByField,
    sorts: sortsField,
    keyword: { type: "string" },
    pagination: {
      type: "object",
      additionalProperties: false,
      properties: {
        skip: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        size: { type: "integer", minimum: 1, maximum: reportLimits.page },
      },
    },
  },
} as const;

/** How a retention report is requested (contract/reports.md#retention). */
export const retentionRequest: ReportRequest<"retention", FromSchema<typeof body>> = {
  body,
  example: {
    granularity: "day",
    startEvent: ["app_installs"],
    returnEvents: ["app_order_complete"],
    measurementOption: "general_retention",
    groupBy: { fields: ["channel"] },
    sorts: [],
  },
  validate: async (requested, { today }) => validateRetentionQuery(requested, today),
};
