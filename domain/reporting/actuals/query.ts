import { type Fault, fault } from "../../fault.ts";
import type { ActualsQuery } from "../../report-tasks/events.ts";
import type { LocalDate } from "../../values/local-time.ts";
import { metricOf } from "../catalogue/catalogue.ts";
import type { UploadedMetric } from "../catalogue/metric.ts";
import {
  type AskedFilter,
  faultsOfDates,
  faultsOfFilters,
  faultsOfGroupBys,
  storedFilters,
} from "../date-range-validation.ts";
import { type CheckedQuery, unknownKey } from "../validation-faults.ts";

/** A report as a request asks it: shapes are right, names and dates are not checked yet. */
export interface AskedActuals {
  readonly from: string;
  readonly to: string;
  readonly groupBys: readonly string[];
  readonly metrics: readonly string[];
  readonly filters: readonly AskedFilter[];
  readonly sorts: readonly { readonly fieldName: string; readonly isAscending: boolean }[];
}

/** Whether a query names metrics that only the app's uploads can tell. */
export function namesUploadedMetrics({ metrics }: Pick<AskedActuals, "metrics">): boolean {
  return metrics.some((key) => metricOf(key) === null);
}

/**
 * Checks what a schema cannot (contract/reports.md#actuals): real dates in range, keys of the catalogue or of metrics
 * that the app has uploaded, one selector a filter, sorts by requested fields. Answers every fault.
 * @param today the current date of the app's time zone
 * @param uploaded the app's uploaded metrics; needed for a query that names some (`namesUploadedMetrics`)
 */
export function checkActualsQuery(
  asked: AskedActuals,
  today: LocalDate,
  uploaded: readonly UploadedMetric[],
): CheckedQuery<ActualsQuery> {
  const { from, to, groupBys, metrics, filters, sorts } = asked;
  const faults = [
    ...faultsOfDates(from, to, today),
    ...faultsOfGroupBys(groupBys, ["groupBys"]),
    ...metrics.flatMap((key, index) => faultsOfMetric(key, index, uploaded)),
    ...faultsOfFilters(filters),
    ...sorts.flatMap(({ fieldName }, index) =>
      metrics.includes(fieldName) || groupBys.includes(fieldName)
        ? []
        : [fault("not_allowed.sort_of_actuals", ["sorts", index, "fieldName"])],
    ),
  ];
  if (faults.length > 0) return { outcome: "invalid", faults };
  return {
    outcome: "valid",
    query: {
      from,
      to,
      groupBys,
      metrics,
      filters: storedFilters(filters),
      sorts: sorts.map(({ fieldName, isAscending }) => ({ fieldName, isAscending })),
    },
  };
}

function faultsOfMetric(key: string, index: number, uploaded: readonly UploadedMetric[]): readonly Fault[] {
  const path = ["metrics", index];
  if (metricOf(key) !== null) return [];
  const known = uploaded.find(({ eventCategory }) => eventCategory === key);
  return known?.archived === true
    ? [fault("not_allowed.archived_metric", path)]
    : unknownKey(known !== undefined, path, "metric");
}
