import { reportLimits } from "../../domain/reporting/limits.ts";

/** Query parameters of every report's GET (contract/reports.md#tasks, contract/reports.md#rows). */
export const pageFields = {
  skip: { type: "integer", minimum: 0 },
  size: { type: "integer", minimum: 1, maximum: reportLimits.page },
  format: { type: "string", enum: ["json", "csv"] },
} as const;

export const pageQuery = { type: "object", properties: pageFields } as const;
