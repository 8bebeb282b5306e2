import type { FromSchema } from "json-schema-to-ts";
import {
  aggregationTypes,
  revenueMetrics,
  revenueStartEvents,
  validateRevenueQuery,
} from "../../domain/reporting/revenue/query.ts";
import type { ReportRequest } from "./request-route.ts";
import { eventsField, granularityField, groupByField, rangeFields, returnEventsField, sortsField } from "./schemas.ts";

const body = {
  type: "object",
  required: [
    "from",
    "to",
    "groupBy",
    "granularity",
    "startEvents",
    "returnEvents",
    "metric",
    "aggregationType",
    "filters",
    "sorts",
  ],
  additionalProperties: false,
  properties: {
    ...rangeFields,
    groupBy: groupByField,
    granularity: granularityField,
    startEvents: eventsField(revenueStartEvents),
    returnEvents: returnEventsField,
    metric: { type: "string", enum: revenueMetrics },
    aggregationType: { type: "string", enum: aggregationTypes },
    sorts: sortsField,
    resultSpec: {
      type: "object",
      additionalProperties: false,
      properties: {
        csv: { type: "object", additionalProperties: false, properties: { includesTotal: { type: "boolean" } } },
      },
    },
  },
} as const;

/** How a revenue report is requested (contract/reports.md#revenue). */
export const revenueRequest: ReportRequest<"revenue", FromSchema<typeof body>> = {
  body,
  example: {
    groupBy: { fields: ["channel"] },
    granularity: "day",
    startEvents: ["app_install"],
    returnEvents: ["app_order_complete"],
    metric: "app_revenue",
    aggregationType: "cumulative",
    sorts: [],
  },
  validate: async (requested, { today }) => validateRevenueQuery(requested, today),
};
