import { type Fault, fault } from "../../fault.ts";
import type { DateRangeQuery, ReportSort } from "../../report-tasks/events.ts";
import { daysBetween, isLocalDate, type LocalDate } from "../../values/local-time.ts";
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
import { validateReturnEvents, validateStartGranularity } from "../return-events.ts";

export const revenueStartEvents = ["app_install", "app_deeplink_open"] as const;
export const revenueMetrics = [
  "app_revenue",
  "app_user_count",
  "app_event_count",
  "app_roas",
  "app_arpu",
  "app_arppu",
] as const;

export const aggregationTypes = ["cumulative", "on-day"] as const;

// NOTE storage format
/** Query of a revenue report (contract/reports.md#revenue). Start and return events are distinct. */
export interface RevenueQuery extends DateRangeQuery {
  readonly granularity: Granularity;
  readonly startEvents: readonly (typeof revenueStartEvents)[number][];
  readonly returnEvents: readonly string[];
  readonly metric: (typeof revenueMetrics)[number];
  readonly aggregationType: (typeof aggregationTypes)[number];
  readonly sorts: readonly ReportSort[];
  /** Whether the CSV ends with a row over all groups. */
  readonly includesTotal: boolean;
}

declare module "../../report-tasks/events.ts" {
  interface ReportQueries {
    readonly revenue: RevenueQuery;
  }
}

/** A request whose shape is valid; its keys and dates are not validated yet. */
export interface RequestedRevenue
  extends RequestedRange,
    Pick<RevenueQuery, "granularity" | "startEvents" | "returnEvents" | "metric" | "aggregationType" | "sorts"> {
  readonly groupBy: { readonly fields: readonly string[] };
  readonly resultSpec?: { readonly csv?: { readonly includesTotal?: boolean } };
}

/** The maximum age of the first date, in days before the current date (contract/limits.md#reports). */
export const maxRevenueAgeDays = 365;

/**
 * Fields, besides group-bys and the metric at the last interval, by which rows can be sorted
 * (contract/reports.md#sorting).
 */
export const sortableTotals = ["totalRevenue", "totalCost", "totalUniqueUsers"] as const;

/** Metrics without the aggregation `on-day` (contract/reports.md#revenue). */
const cumulativeOnly: readonly string[] = ["app_roas", "app_arpu"] satisfies RevenueQuery["metric"][];

/** The aggregations that a metric has. */
export function aggregationTypesOf(metric: RevenueQuery["metric"]): readonly RevenueQuery["aggregationType"][] {
  return cumulativeOnly.includes(metric) ? ["cumulative"] : aggregationTypes;
}

/**
 * Validates what a schema cannot (contract/reports.md#revenue). Returns every fault. Duplicate start and return events
 * are dropped.
 * @param today the current date of the app's time zone
 */
export function validateRevenueQuery(requested: RequestedRevenue, today: LocalDate): ValidatedQuery<RevenueQuery> {
  const { from, to, groupBy, filters, sorts, granularity, startEvents, returnEvents, metric, aggregationType } =
    requested;
  const faults = [
    ...validateDates(from, to, today),
    ...validateAge(from, today),
    ...validateReturnEvents(returnEvents),
    ...validateGroupBys(groupBy.fields, ["groupBy", "fields"]),
    ...validateFilters(filters),
    ...validateStartGranularity(
      granularity,
      startEvents.every((event) => event === "app_install"),
    ),
    ...validateAggregation(requested),
    ...validateSorts(sorts, [...sortableTotals, metric, ...groupBy.fields], "not_allowed.sort_of_revenue"),
  ];
  return validated(faults, {
    from,
    to,
    groupBys: groupBy.fields,
    filters: storedFilters(filters),
    granularity,
    startEvents: [...new Set(startEvents)],
    returnEvents: [...new Set(returnEvents)],
    metric,
    aggregationType,
    sorts: storedSorts(sorts),
    includesTotal: requested.resultSpec?.csv?.includesTotal ?? false,
  });
}

function validateAge(from: string, today: LocalDate): readonly Fault[] {
  if (!isLocalDate(from) || daysBetween(from, today) <= maxRevenueAgeDays) return [];
  return [fault("out_of_range.too_long_ago", ["from"], { days: maxRevenueAgeDays })];
}

function validateAggregation({ metric, aggregationType }: RequestedRevenue): readonly Fault[] {
  if (aggregationTypesOf(metric).includes(aggregationType)) return [];
  return [fault("not_allowed.cumulative_only", ["aggregationType"])];
}
