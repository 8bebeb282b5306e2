import type { FromSchema } from "json-schema-to-ts";
import { namesUploadedMetrics, validateActualsQuery } from "../../domain/reporting/actuals/query.ts";
import type { ReportRequest } from "./request-route.ts";
import { groupBysField, metricsField, rangeFields, sortsField } from "./schemas.ts";

const body = {
  type: "object",
  required: ["from", "to", "groupBys", "metrics", "filters", "sorts"],
  additionalProperties: false,
  properties: {
    ...rangeFields,
    groupBys: groupBysField,
    metrics: metricsField,
    sorts: sortsField,
    option: { type: "object", additionalProperties: false },
  },
} as const;

/** How an actuals report is requested (contract/reports.md#actuals). */
export const actualsRequest: ReportRequest<"actuals", FromSchema<typeof body>> = {
  body,
  example: {
    groupBys: ["campaign"],
    metrics: ["clicks"],
    filters: [{ dimension: "channel", filterType: "IN", values: ["newsletter"] }],
    sorts: [{ fieldName: "clicks", isAscending: false }],
  },
  validate: async (requested, { today, uploadedMetrics }) =>
    validateActualsQuery(requested, today, namesUploadedMetrics(requested) ? await uploadedMetrics() : []),
};
