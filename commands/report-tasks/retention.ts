import type { FromSchema } from "json-schema-to-ts";
import { returnSelections, startCategories } from "../../domain/reporting/cohort-events.ts";
import { granularities } from "../../domain/reporting/granularity.ts";
import { reportLimits } from "../../domain/reporting/limits.ts";
import { validateRetentionQuery } from "../../domain/reporting/retention/query.ts";
import type { RequestableReport } from "./request-route.ts";
import { rangeFields, sortsField } from "./schemas.ts";

type KeyOf<Table> = keyof Table & string;

const startEvents = Object.keys(startCategories) as KeyOf<typeof startCategories>[];
const returnEvents = Object.keys(returnSelections) as KeyOf<typeof returnSelections>[];
const measurementOptions = ["general_retention", "confined_retention"] as const;

/** Body of a retention report (contract/reports.md#retention); see `validateRetentionQuery`. */
const retentionBody = {
  type: "object",
  required: [
    "from",
    "to",
    "granularity",
    "startEvent",
    "returnEvents",
    "measurementOption",
    "groupBy",
    "filters",
    "sorts",
  ],
  additionalProperties: false,
  properties: {
    ...rangeFields,
    granularity: { type: "string", enum: granularities },
    startEvent: { type: "array", minItems: 1, items: { type: "string", enum: startEvents } },
    returnEvents: { type: "array", minItems: 1, items: { type: "string", enum: returnEvents } },
    measurementOption: { type: "string", enum: measurementOptions },
    groupBy: {
      type: "object",
      required: ["fields"],
      additionalProperties: false,
      properties: { fields: { type: "array", maxItems: reportLimits.groupBys, items: { type: "string" } } },
    },
    sorts: sortsField,
    keyword: { type: "string" },
    pagination: {
      type: "object",
      additionalProperties: false,
      properties: {
        skip: { type: "integer", minimum: 0 },
        size: { type: "integer", minimum: 1, maximum: reportLimits.page },
      },
    },
  },
} as const;

/** The POST of this report (contract/reports.md#retention). */
export const requestableRetention: RequestableReport<"retention", FromSchema<typeof retentionBody>> = {
  report: "retention",
  path: "/reports/api/v5/apps/:app_name/retention/query",
  operation: "report_cohorts",
  body: retentionBody,
  check: async (body, { today }) => validateRetentionQuery(body, today),
  answer: ({ taskId }) => ({ data: { taskId } }),
};
