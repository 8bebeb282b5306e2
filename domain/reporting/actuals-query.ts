import { daysBetween, isLocalDate, type LocalDate } from "../local-time.ts";
import type { ActualsQuery } from "../report-tasks/events.ts";
import { actualsLimits, type filterTypes, metricOf } from "./catalogue.ts";
import { isGroupByKey } from "./group-bys.ts";
import type { UploadedMetric } from "./metric.ts";

/** A report as a request asks it: shapes are right, names and dates are not checked yet. */
export interface AskedActuals {
  readonly from: string;
  readonly to: string;
  readonly groupBys: readonly string[];
  readonly metrics: readonly string[];
  readonly filters: readonly {
    readonly dimension?: string;
    readonly field?: string;
    readonly filterType: (typeof filterTypes)[number];
    /** Needed for every operator but `EXIST` and `NOT EXIST`. */
    readonly values?: readonly string[];
  }[];
  readonly sorts: readonly { readonly fieldName: string; readonly isAscending: boolean }[];
}

/** What is wrong with a query, and where in it. */
export interface QueryFault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

export type CheckedActuals =
  | { readonly outcome: "valid"; readonly query: ActualsQuery }
  | { readonly outcome: "invalid"; readonly faults: readonly QueryFault[] };

/** Whether a query names metrics that only the app's uploads can tell. */
export function namesUploadedMetrics({ metrics }: Pick<AskedActuals, "metrics">): boolean {
  return metrics.some((key) => metricOf(key) === null);
}

/**
 * Checks what a schema cannot (A: Limits, D7.1, D7.2, D7.13): real dates in range, keys of the catalogue or of metrics
 * that the app has uploaded, one selector a filter, sorts by requested fields. Answers every fault.
 * @param today the current date of the app's time zone
 * @param uploaded the app's uploaded metrics; needed for a query that names some (`namesUploadedMetrics`)
 */
export function checkActualsQuery(
  asked: AskedActuals,
  today: LocalDate,
  uploaded: readonly UploadedMetric[],
): CheckedActuals {
  const { from, to, groupBys, metrics, filters, sorts } = asked;
  const faults = [
    ...faultsOfDates(from, to, today),
    ...groupBys.flatMap((key, index) => unknownKey(isGroupByKey(key), ["groupBys", index], "group-by")),
    ...metrics.flatMap((key, index) => faultsOfMetric(key, index, uploaded)),
    ...filters.flatMap(faultsOfFilter),
    ...sorts.flatMap(({ fieldName }, index) =>
      metrics.includes(fieldName) || groupBys.includes(fieldName)
        ? []
        : [fault(["sorts", index, "fieldName"], "must be one of the requested metrics or group-bys", "not_allowed")],
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
      filters: filters.map(({ dimension, field, filterType, values }) => ({
        dimension: dimension ?? field ?? "",
        filterType,
        values: ignoresValues(filterType) ? [] : (values ?? []),
      })),
      sorts: sorts.map(({ fieldName, isAscending }) => ({ fieldName, isAscending })),
    },
  };
}

function faultsOfDates(from: LocalDate, to: LocalDate, today: LocalDate): readonly QueryFault[] {
  const unreal = Object.entries({ from, to }).flatMap(([field, date]) =>
    isLocalDate(date) ? [] : [fault([field], "must be a calendar date like 2026-03-31", "wrong_format")],
  );
  if (unreal.length > 0) return unreal;
  if (from > to) return [fault(["from"], "must not be after to", "out_of_range")];
  if (to > today) return [fault(["to"], `must not be after ${today}, the current date of the app`, "out_of_range")];
  return daysBetween(from, to) < actualsLimits.days
    ? []
    : [fault(["to"], `must be at most ${actualsLimits.days} dates from from, both counted`, "out_of_range")];
}

function faultsOfMetric(key: string, index: number, uploaded: readonly UploadedMetric[]): readonly QueryFault[] {
  const loc = ["metrics", index];
  if (metricOf(key) !== null) return [];
  const known = uploaded.find(({ eventCategory }) => eventCategory === key);
  return known?.archived === true
    ? [fault(loc, "is an uploaded metric that has been archived", "not_allowed")]
    : unknownKey(known !== undefined, loc, "metric");
}

type AskedFilter = AskedActuals["filters"][number];

function faultsOfFilter(filter: AskedFilter, index: number): readonly QueryFault[] {
  return [...faultsOfSelector(filter, index), ...faultsOfValues(filter, index)];
}

function faultsOfSelector({ dimension, field }: AskedFilter, index: number): readonly QueryFault[] {
  if (dimension !== undefined && field !== undefined) {
    return [fault(["filters", index, "field"], "must not stand beside dimension", "conflict")];
  }
  const selector = field === undefined ? "dimension" : "field";
  const key = dimension ?? field;
  if (key === undefined) return [fault(["filters", index, "dimension"], "is required", "missing")];
  return unknownKey(isGroupByKey(key), ["filters", index, selector], "group-by");
}

function faultsOfValues({ filterType, values }: AskedFilter, index: number): readonly QueryFault[] {
  const loc = ["filters", index, "values"];
  if (ignoresValues(filterType)) return [];
  if (values === undefined) return [fault(loc, `is required with ${filterType}`, "missing")];
  return values.length > 0 ? [] : [fault(loc, `must have at least 1 item with ${filterType}`, "too_short")];
}

/** D7.2. */
function ignoresValues(filterType: AskedFilter["filterType"]): boolean {
  return filterType === "EXIST" || filterType === "NOT EXIST";
}

function unknownKey(known: boolean, loc: QueryFault["loc"], what: string): readonly QueryFault[] {
  return known ? [] : [fault(loc, `is not a ${what} of this report`, "not_allowed")];
}

function fault(loc: QueryFault["loc"], msg: string, type: string): QueryFault {
  return { loc, msg, type };
}
