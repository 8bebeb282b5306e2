import { groupBys } from "../../domain/reporting/catalogue/group-bys.ts";
import { granularities } from "../../domain/reporting/granularity.ts";
import { reportLimits } from "../../domain/reporting/limits.ts";
import { filtersField } from "../filters-schema.ts";

const texts = { type: "array", items: { type: "string" } } as const;

/** Fields of every report. Names of the catalogue and dates are validated after the schema. */
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

export const granularityField = { type: "string", enum: granularities } as const;
/** Number of group-bys in the catalogue. */
const allGroupBys = Object.keys(groupBys).length;

export const groupBysField = { ...texts, maxItems: reportLimits.groupBys } as const;
export const metricsField = {
  ...texts,
  minItems: 1,
  maxItems: reportLimits.metrics,
  examples: [["clicks"], ["impressions"]],
} as const;

export const groupByField = {
  type: "object",
  required: ["fields"],
  additionalProperties: false,
  properties: { fields: { ...texts, maxItems: allGroupBys } },
} as const;

export const sortsField = {
  type: "array",
  maxItems: allGroupBys + reportLimits.metrics,
  items: {
    type: "object",
    required: ["fieldName", "isAscending"],
    additionalProperties: false,
    properties: { fieldName: { type: "string" }, isAscending: { type: "boolean" } },
  },
} as const;

/** Return events of cohorts; whether they exist is validated after the schema. */
export const returnEventsField = {
  ...texts,
  minItems: 1,
  maxItems: reportLimits.returnEvents,
  examples: [["app_order_complete"]],
} as const;

/** A list of at least one of some events. */
export function eventsField<Event extends string>(events: readonly Event[]) {
  return { type: "array", minItems: 1, items: { type: "string", enum: events } } as const;
}
