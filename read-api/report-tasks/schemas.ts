import { reportLimits } from "../../domain/reporting/report-limits.ts";

/** What every report's GET takes (A: reports, D7.6). */
const pageFields = {
  skip: { type: "integer", minimum: 0 },
  size: { type: "integer", minimum: 1, maximum: reportLimits.page },
  format: { type: "string", enum: ["json", "csv"] },
} as const;

/** A: active users GET, whose pages are of intervals (D7.12); revenue GET. */
export const pageQuery = { type: "object", properties: pageFields } as const;

/** A: retention GET. */
export const searchedPageQuery = {
  type: "object",
  properties: { ...pageFields, keyword: { type: "string" } },
} as const;

/** A: actuals GET. */
export const actualsPageQuery = {
  type: "object",
  properties: { ...pageFields, keyword: { type: "string" }, viewFormat: { type: "boolean" } },
} as const;
