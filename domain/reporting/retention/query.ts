import type { DateRangeQuery, ReportSort } from "../../report-tasks/events.ts";
import type { LocalDate } from "../../values/local-time.ts";
import type { Granularity } from "../granularity.ts";
import {
  type RequestedRange,
  storedFilters,
  storedSorts,
  type ValidatedQuery,
  validateDates,
  validated,
  validateFilters,
  validateGroupBys,
  validateSorts,
} from "../query-validation.ts";
import { type startCategories, validateReturnEvents, validateStartGranularity } from "../return-events.ts";

/** Whether a return counts for every start before it, or only for the latest one (contract/reports.md#retention). */
export const measurementOptions = ["general_retention", "confined_retention"] as const;

// NOTE storage format
/** Query of a retention report (contract/reports.md#retention). Start and return events are distinct. */
export interface RetentionQuery extends DateRangeQuery {
  readonly granularity: Granularity;
  readonly startEvents: readonly (keyof typeof startCategories)[];
  readonly returnEvents: readonly string[];
  readonly measurementOption: (typeof measurementOptions)[number];
  readonly sorts: readonly ReportSort[];
  /** Defaults of the GET. */
  readonly keyword?: string;
  readonly pagination?: { readonly skip?: number; readonly size?: number };
}

declare module "../../report-tasks/events.ts" {
  interface ReportQueries {
    readonly retention: RetentionQuery;
  }
}

/** A request whose shape is valid; its keys and dates are not validated yet. */
export interface RequestedRetention
  extends RequestedRange,
    Pick<RetentionQuery, "granularity" | "returnEvents" | "measurementOption" | "sorts" | "keyword" | "pagination"> {
  readonly startEvent: RetentionQuery["startEvents"];
  readonly groupBy: { readonly fields: readonly string[] };
}

/** The one field, besides group-bys, by which rows can be sorted (contract/reports.md#rows). */
export const startUsers = "startUsers";

/**
 * Validates what a schema cannot (contract/reports.md#retention): real dates in range, keys of the catalogue, hours and
 * minutes only for installs, one selector per filter, sorts by requested fields. Returns every fault. Duplicate start
 * and return events are dropped.
 * @param today the current date of the app's time zone
 */
export function validateRetentionQuery(
  requested: RequestedRetention,
  today: LocalDate,
): ValidatedQuery<RetentionQuery> {
  const { from, to, granularity, startEvent, returnEvents, measurementOption, groupBy, filters, sorts } = requested;
  const faults = [
    ...validateDates(from, to, today),
    ...validateStartGranularity(
      granularity,
      startEvent.every((event) => event === "app_installs"),
    ),
    ...validateReturnEvents(returnEvents),
    ...validateGroupBys(groupBy.fields, ["groupBy", "fields"]),
    ...validateFilters(filters),
    ...validateSorts(sorts, [startUsers, ...groupBy.fields], "not_allowed.sort_of_retention"),
  ];
  return validated(faults, {
    from,
    to,
    granularity,
    startEvents: [...new Set(startEvent)],
    returnEvents: [...new Set(returnEvents)],
    measurementOption,
    groupBys: groupBy.fields,
    filters: storedFilters(filters),
    sorts: storedSorts(sorts),
    ...(requested.keyword === undefined ? {} : { keyword: requested.keyword }),
    ...(requested.pagination === undefined ? {} : { pagination: requested.pagination }),
  });
}
