import { reportLimits } from "../../domain/reporting/report-limits.ts";

/** A: actuals GET, D7.6. */
export const actualsPageQuery = {
  type: "object",
  properties: {
    skip: { type: "integer", minimum: 0 },
    size: { type: "integer", minimum: 1, maximum: reportLimits.page },
    keyword: { type: "string" },
    viewFormat: { type: "boolean" },
    format: { type: "string", enum: ["json", "csv"] },
  },
} as const;
