import { reportLimits } from "../../domain/reporting/limits.ts";

/** What every report's GET takes (contract/reports.md#tasks, contract/reports.md#rows). */
const pageFields = {
  skip: { type: "integer", minimum: 0 },
  size: { type: "integer", minimum: 1, maximum: reportLimits.page },
  format: { type: "string", enum: ["json", "csv"] },
} as const;

/** GET of active users, whose pages are of intervals (contract/reports.md#active-users), and of revenue. */
export const pageQuery = { type: "object", properties: pageFields } as const;

/** GET of retention. */
export const searchedPageQuery = {
  type: "object",
  properties: { ...pageFields, keyword: { type: "string" } },
} as const;

/** GET of actuals. */
export const actualsPageQuery = {
  type: "object",
  properties: { ...pageFields, keyword: { type: "string" }, viewFormat: { type: "boolean" } },
} as const;
