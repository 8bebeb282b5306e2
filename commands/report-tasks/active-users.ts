import type { FromSchema } from "json-schema-to-ts";
import { validateActiveUsersQuery } from "../../domain/reporting/active-users/query.ts";
import type { ReportRequest } from "./request-route.ts";
import { granularityField, groupByField, metricsField, rangeFields } from "./schemas.ts";

const body = {
  type: "object",
  required: ["from", "to", "granularity", "metrics", "groupBy", "filters"],
  additionalProperties: false,
  properties: { ...rangeFields, granularity: granularityField, metrics: metricsField, groupBy: groupByField },
} as const;

/** How an active users report is requested (contract/reports.md#active-users). */
export const activeUsersRequest: ReportRequest<"active_users", FromSchema<typeof body>> = {
  body,
  example: { granularity: "day", metrics: ["app_au"], groupBy: { fields: ["channel"] } },
  validate: async (requested, { today }) => validateActiveUsersQuery(requested, today),
};
