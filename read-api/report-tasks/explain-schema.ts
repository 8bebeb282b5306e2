import { reportLimits } from "../../domain/reporting/limits.ts";

/** Which cell to explain, and which page of what is behind it. */
export const explainBody = {
  type: "object",
  required: ["row", "metric"],
  additionalProperties: false,
  properties: {
    row: { type: "array", maxItems: reportLimits.groupBys, items: { type: "string" } },
    metric: { type: "string" },
    date: { type: "string" },
    interval: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    skip: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    size: { type: "integer", minimum: 1, maximum: reportLimits.page },
  },
} as const;
