import { unknownKey } from "../../did-you-mean.ts";
import { type Fault, fault } from "../../fault.ts";
import type { DateRangeQuery, ReportSort } from "../../report-tasks/events.ts";
import type { LocalDate } from "../../values/local-time.ts";
import { metricOf, metrics } from "../catalogue/catalogue.ts";
import type { UploadedMetric } from "../catalogue/metric.ts";
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

// NOTE storage format
/** Query of an actuals report (contract/reports.md#actuals). */
export interface ActualsQuery extends DateRangeQuery {
  readonly metrics: readonly string[];
  readonly sorts: readonly ReportSort[];
}

declare module "../../report-tasks/events.ts" {
  interface ReportQueries {
    readonly actuals: ActualsQuery;
  }
}

/** A request whose shape is valid; its keys and dates are not validated yet. */
export interface RequestedActuals extends RequestedRange {
  readonly groupBys: readonly string[];
  readonly metrics: readonly string[];
  readonly sorts: readonly ReportSort[];
}

/** Whether validating a query needs the app's uploaded metrics. */
export function namesUploadedMetrics({ metrics }: Pick<RequestedActuals, "metrics">): boolean {
  return metrics.some((key) => metricOf(key) === null);
}

/**
 * Validates what a schema cannot (contract/reports.md#actuals): real dates in range, keys of the catalogue or of metrics
 * that the app has uploaded, one selector per filter, sorts by requested fields. Returns every fault.
 * @param today the current date of the app's time zone
 * @param uploaded the app's uploaded metrics; needed when `namesUploadedMetrics`
 */
export function validateActualsQuery(
  requested: RequestedActuals,
  today: LocalDate,
  uploaded: readonly UploadedMetric[],
): ValidatedQuery<ActualsQuery> {
  const { from, to, groupBys, metrics, filters, sorts } = requested;
  const faults = [
    ...validateDates(from, to, today),
    ...validateGroupBys(groupBys, ["groupBys"]),
    ...metrics.flatMap((key, index) => validateMetric(key, index, uploaded)),
    ...validateFilters(filters),
    ...validateSorts(sorts, [...metrics, ...groupBys], "not_allowed.sort_of_actuals"),
  ];
  return validated(faults, {
    from,
    to,
    groupBys,
    metrics,
    filters: storedFilters(filters),
    sorts: storedSorts(sorts),
  });
}

function validateMetric(key: string, index: number, uploaded: readonly UploadedMetric[]): readonly Fault[] {
  const path = ["metrics", index];
  if (metricOf(key) !== null) return [];
  const known = uploaded.find(({ eventCategory }) => eventCategory === key);
  if (known?.archived === true) return [fault("not_allowed.archived_metric", path)];
  if (known !== undefined) return [];
  const usable = uploaded.filter(({ archived }) => !archived).map(({ eventCategory }) => eventCategory);
  return [unknownKey("not_allowed.metric", path, key, [...Object.keys(metrics), ...usable])];
}
