import type { ReportFilter, ReportSort } from "../report-tasks/events.ts";
import { daysBetween, isLocalDate, type LocalDate } from "../values/local-time.ts";
import { isGroupByKey } from "./catalogue/group-bys.ts";
import { type filterTypes, reportLimits } from "./limits.ts";
import { fault, type QueryFault, unknownKey } from "./validation-faults.ts";

/** A filter as a request spells it: its shape is valid, its key is not validated yet. Both selector names mean the same. */
export interface RequestedFilter {
  readonly dimension?: string;
  readonly field?: string;
  readonly filterType: (typeof filterTypes)[number];
  /** Required for every operator but `EXIST` and `NOT EXIST`. */
  readonly values?: readonly string[];
}

/** What every kind of report is requested with. */
export interface RequestedRange {
  readonly from: string;
  readonly to: string;
  readonly filters: readonly RequestedFilter[];
}

/** Faults of a report's dates (contract/limits.md#reports, contract/reports.md#tasks). */
export function validateDates(from: LocalDate, to: LocalDate, today: LocalDate): readonly QueryFault[] {
  const unreal = Object.entries({ from, to }).flatMap(([field, date]) =>
    isLocalDate(date) ? [] : [fault([field], "must be a calendar date like 2026-03-31", "wrong_format")],
  );
  if (unreal.length > 0) return unreal;
  if (from > to) return [fault(["from"], "must not be after to", "out_of_range")];
  if (to > today) return [fault(["to"], `must not be after ${today}, the current date of the app`, "out_of_range")];
  return daysBetween(from, to) < reportLimits.days
    ? []
    : [fault(["to"], `must be at most ${reportLimits.days} dates from from, both counted`, "out_of_range")];
}

/** Faults of group-by keys (contract/reports.md#group-bys). `loc` is the path to their list. */
export function validateGroupBys(keys: readonly string[], loc: QueryFault["loc"]): readonly QueryFault[] {
  return keys.flatMap((key, index) => unknownKey(isGroupByKey(key), [...loc, index], "group-by"));
}

/** Faults of a key that a filter names. */
type ValidateKey = (key: string, loc: QueryFault["loc"]) => readonly QueryFault[];

const validateGroupBy: ValidateKey = (key, loc) => unknownKey(isGroupByKey(key), loc, "group-by");

/**
 * Faults of filters (contract/reports.md#filters): one selector each, a key of the catalogue, values where the operator
 * needs some.
 * @param validateKey by default filters name group-bys
 */
export function validateFilters(
  filters: readonly RequestedFilter[],
  validateKey: ValidateKey = validateGroupBy,
): readonly QueryFault[] {
  return filters.flatMap((filter, index) => [
    ...validateSelector(filter, index, validateKey),
    ...validateValues(filter, index),
  ]);
}

/**
 * Faults of sorts by anything but `sortable` fields (contract/reports.md#sorting).
 * @param msg what they must be
 */
export function validateSorts(
  sorts: readonly ReportSort[],
  sortable: readonly string[],
  msg: string,
): readonly QueryFault[] {
  return sorts.flatMap(({ fieldName }, index) =>
    sortable.includes(fieldName) ? [] : [fault(["sorts", index, "fieldName"], msg, "not_allowed")],
  );
}

export function storedSorts(sorts: readonly ReportSort[]): readonly ReportSort[] {
  return sorts.map(({ fieldName, isAscending }) => ({ fieldName, isAscending }));
}

/** Validated filters as they are stored. */
export function storedFilters(filters: readonly RequestedFilter[]): readonly ReportFilter[] {
  return filters.map(({ dimension, field, filterType, values }) => ({
    dimension: dimension ?? field ?? "",
    filterType,
    values: ignoresValues(filterType) ? [] : (values ?? []),
  }));
}

function validateSelector(
  { dimension, field }: RequestedFilter,
  index: number,
  validateKey: ValidateKey,
): readonly QueryFault[] {
  if (dimension !== undefined && field !== undefined) {
    return [fault(["filters", index, "field"], "must not stand beside dimension", "conflict")];
  }
  const selector = field === undefined ? "dimension" : "field";
  const key = dimension ?? field;
  if (key === undefined) return [fault(["filters", index, "dimension"], "is required", "missing")];
  return validateKey(key, ["filters", index, selector]);
}

function validateValues({ filterType, values }: RequestedFilter, index: number): readonly QueryFault[] {
  const loc = ["filters", index, "values"];
  if (ignoresValues(filterType)) return [];
  if (values === undefined) return [fault(loc, `is required with ${filterType}`, "missing")];
  return values.length > 0 ? [] : [fault(loc, `must have at least 1 item with ${filterType}`, "too_short")];
}

/** Whether a filter needs no values (contract/reports.md#filters). */
function ignoresValues(filterType: RequestedFilter["filterType"]): boolean {
  return filterType === "EXIST" || filterType === "NOT EXIST";
}
