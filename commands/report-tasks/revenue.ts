import type { FromSchema } from "json-schema-to-ts";
import { granularities } from "../../domain/reporting/granularity.ts";
import { reportLimits } from "../../domain/reporting/limits.ts";
import { validateRevenueQuery } from "../../domain/reporting/revenue/query.ts";
import type { RequestableReport } from "./request-route.ts";
import { rangeFields, sortsField } from "./schemas.ts";

const startEvents = ["app_install", "app_deeplink_open"] as const;
const returnEvents = [
  "app_order_complete",
  "app_first_order_complete",
  "app_ad_impression",
  "app_ad_click",
  "app_subscribe",
] as const;
const metrics = ["app_revenue", "app_user_count", "app_event_count", "app_roas", "app_arpu", "app_arppu"] as const;

/** Body of a revenue report (contract/reports.md#revenue); see `validateRevenueQuery`. */
const revenueBody = {
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
    groupBy: {
      type: "object",
      required: ["fields"],
      additionalProperties: false,
      properties: { fields: { type: "array", maxItems: reportLimits.groupBys, items: { type: "string" } } },
    },
    granularity: { type: "string", enum: granularities },
    startEvents: { type: "array", minItems: 1, items: { type: "string", enum: startEvents } },
    returnEvents: { type: "array", minItems: 1, items: { type: "string", enum: returnEvents } },
    metric: { type: "string", enum: metrics },
    aggregationType: { type: "string", enum: ["cumulative", "on-day"] },
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

/** The POST of this report (contract/reports.md#revenue). */
export const requestableRevenue: RequestableReport<"revenue", FromSchema<typeof revenueBody>> = {
  report: "revenue",
  path: "/reports/api/v3/apps/:app_name/revenue/query",
  operation: "report_cohorts",
  body: revenueBody,
  check: async (body, { today }) => validateRevenueQuery(body, today),
  answer: ({ taskId }) => ({ data: { taskId } }),
};
