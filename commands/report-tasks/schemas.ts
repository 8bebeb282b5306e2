import { reportLimits } from "../../domain/reporting/limits.ts";
import { filtersField } from "../filters-schema.ts";

const texts = { type: "array", items: { type: "string" } } as const;

/** What every report is asked: dates and filters. What only the catalogue and the calendar know is checked after it. */
export const rangeFields = {
  from: { type: "string" },
  to: { type: "string" },
  filters: filtersField,
  asOf: {
    type: ["string", "integer"],
    format: "position-or-instant",
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
  },
} as const;

export const sortsField = {
  type: "array",
  maxItems: reportLimits.groupBys + reportLimits.metrics,
  items: {
    type: "object",
    required: ["fieldName", "isAscending"],
    additionalProperties: false,
    properties: { fieldName: { type: "string" }, isAscending: { type: "boolean" } },
  },
} as const;

/** Body of an actuals report (contract/reports.md#actuals); see `checkActualsQuery`. */
export const actualsBody = {
  type: "object",
  required: ["from", "to", "groupBys", "metrics", "filters", "sorts"],
  additionalProperties: false,
  properties: {
    ...rangeFields,
    groupBys: { ...texts, maxItems: reportLimits.groupBys },
    metrics: { ...texts, minItems: 1, maxItems: reportLimits.metrics },
    sorts: sortsField,
    option: { type: "object", additionalProperties: false },
  },
} as const;
