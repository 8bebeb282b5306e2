import { type Fault, fault } from "../../fault.ts";
import type { RevenueQuery } from "../../report-tasks/events.ts";
import { daysBetween, isLocalDate, type LocalDate } from "../../values/local-time.ts";
import {
  type AskedFilter,
  faultsOfDates,
  faultsOfFilters,
  faultsOfGroupBys,
  storedFilters,
} from "../date-range-validation.ts";
import type { CheckedQuery } from "../validation-faults.ts";

/** A report as a request asks it: shapes are right, names and dates are not checked yet. */
export interface AskedRevenue
  extends Pick<RevenueQuery, "granularity" | "startEvents" | "returnEvents" | "metric" | "aggregationType" | "sorts"> {
  readonly from: string;
  readonly to: string;
  readonly groupBy: { readonly fields: readonly string[] };
  readonly filters: readonly AskedFilter[];
  readonly resultSpec?: { readonly csv?: { readonly includesTotal?: boolean } };
}

/** The longest ago that a range may begin, in days before the current date (contract/limits.md#reports). */
export const oldestRevenueDays = 365;

/** What sorts may name besides the group-bys (contract/reports.md#rows). */
export const sortableTotals = ["totalRevenue", "totalCost", "totalUniqueUsers"] as const;

/** Metrics that are told cumulative only (contract/reports.md#revenue). */
const cumulativeOnly: readonly string[] = ["app_roas", "app_arpu"] satisfies RevenueQuery["metric"][];

/**
 * Checks what a schema cannot (contract/reports.md#revenue). Answers every fault. Start and return events that are
 * named twice are taken once.
 * @param today the current date of the app's time zone
 */
export function checkRevenueQuery(asked: AskedRevenue, today: LocalDate): CheckedQuery<RevenueQuery> {
  const { from, to, groupBy, filters, sorts, granularity, startEvents, returnEvents, metric, aggregationType } = asked;
  const faults = [
    ...faultsOfDates(from, to, today),
    ...faultsOfAge(from, today),
    ...faultsOfGroupBys(groupBy.fields, ["groupBy", "fields"]),
    ...faultsOfFilters(filters),
    ...faultsOfGranularity(asked),
    ...faultsOfAggregation(asked),
    ...sorts.flatMap(({ fieldName }, index) =>
      sortableTotals.some((name) => name === fieldName) || groupBy.fields.includes(fieldName)
        ? []
        : [fault("not_allowed.sort_of_revenue", ["sorts", index, "fieldName"])],
    ),
  ];
  if (faults.length > 0) return { outcome: "invalid", faults };
  return {
    outcome: "valid",
    query: {
      from,
      to,
      groupBys: groupBy.fields,
      filters: storedFilters(filters),
      granularity,
      startEvents: [...new Set(startEvents)],
      returnEvents: [...new Set(returnEvents)],
      metric,
      aggregationType,
      sorts: sorts.map(({ fieldName, isAscending }) => ({ fieldName, isAscending })),
      includesTotal: asked.resultSpec?.csv?.includesTotal ?? false,
    },
  };
}

function faultsOfAge(from: string, today: LocalDate): readonly Fault[] {
  if (!isLocalDate(from) || daysBetween(from, today) <= oldestRevenueDays) return [];
  return [fault("out_of_range.too_long_ago", ["from"], { days: oldestRevenueDays })];
}

/** Hours and minutes start with installs alone (contract/reports.md#intervals). */
function faultsOfGranularity({ granularity, startEvents }: AskedRevenue): readonly Fault[] {
  const isElapsed = granularity === "hour" || granularity === "minute";
  if (!isElapsed || startEvents.every((event) => event === "app_install")) return [];
  return [fault("not_allowed.fine_granularity", ["granularity"])];
}

/** Some metrics are cumulative only (contract/reports.md#revenue). */
function faultsOfAggregation({ metric, aggregationType }: AskedRevenue): readonly Fault[] {
  if (aggregationType === "cumulative" || !cumulativeOnly.includes(metric)) return [];
  return [fault("not_allowed.cumulative_only", ["aggregationType"])];
}
