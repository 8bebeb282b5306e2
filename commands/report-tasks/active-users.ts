import type { FromSchema } from "json-schema-to-ts";
import { validateActiveUsersQuery } from "../../domain/reporting/active-users/query.ts";
import { granularities } from "../../domain/reporting/granularity.ts";
import { reportLimits } from "../../domain/reporting/limits.ts";
import type { RequestableReport } from "./request-route.ts";
import { rangeFields } from "./schemas.ts";

const texts = { type: "array", items: { type: "string" } } as const;

/** Body of an active users report (contract/reports.md#active-users); see `validateActiveUsersQuery`. */
const activeUsersBody = {
  type: "object",
  required: ["from", "to", "granularity", "metrics", "groupBy", "filters"],
  additionalProperties: false,
  properties: {
    ...rangeFields,
    granularity: { type: "string", enum: granularities },
    metrics: { ...texts, minItems: 1, maxItems: reportLimits.metrics },
    groupBy: {
      type: "object",
      required: ["fields"],
      additionalProperties: false,
      properties: { fields: { ...texts, maxItems: reportLimits.groupBys } },
    },
  },
} as const;

/** The POST of this report (contract/reports.md#active-users). */
export const requestableActiveUsers: RequestableReport<"active_users", FromSchema<typeof activeUsersBody>> = {
  report: "active_users",
  path: "/reports/api/v4/apps/:app_name/active-users/query",
  operation: "report_active_users",
  body: activeUsersBody,
  check: async (body, { today }) => validateActiveUsersQuery(body, today),
  answer: (task) => ({ task }),
};
