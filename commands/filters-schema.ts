import { reportLimits } from "../domain/reporting/limits.ts";
import { filterTypes } from "../domain/reporting/query-validation.ts";

/** Filters of reports and of raw exports (contract/reports.md#filters). */
export const filtersField = {
  type: "array",
  maxItems: reportLimits.filters,
  items: {
    type: "object",
    required: ["filterType"],
    additionalProperties: false,
    properties: {
      dimension: { type: "string" },
      field: { type: "string" },
      filterType: { type: "string", enum: filterTypes },
      values: { type: "array", items: { type: "string" } },
    },
  },
} as const;
