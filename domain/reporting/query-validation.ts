import { unknownKey } from "../did-you-mean.ts";
import { type Fault, fault, type Path } from "../fault.ts";
import type { ReportFilter, ReportSort } from "../report-tasks/events.ts";
import { daysBetween, earliestDate, isLocalDate, type LocalDate } from "../values/local-time.ts";
import { groupBys, isGroupByKey } from "./catalogue/group-bys.ts";
import { reportLimits } from "./limits.ts";

/** A query as it is stored, or every fault of it. */
export type ValidatedQuery<Query> =
  | { readonly outcome: "valid"; readonly query: Query }
  | { readonly outcome: "invalid"; readonly faults: readonly Fault[] };

/** The query if there are no faults, otherwise the faults. */
export function validated<Query>(faults: readonly Fault[], query: Query): ValidatedQuery<Query> {
  return faults.length > 0 ? { outcome: "invalid", faults } : { outcome: "valid", query };
}

/** Operators of filters (contract/reports.md#filters). */
export const filterTypes = [
  "IN",
  "NOT IN",
  "LIKE",
  "NOT LIKE",
  "EXIST",
  "NOT EXIST",
] as const satisfies readonly ReportFilter["filterType"][];

/** A filter of a request: its shape is valid, its key is not validated yet. Both names of the selector are synonyms. */
export interface RequestedFilter {
  readonly dimension?: string;
  readonly field?: string;
  readonly filterType: ReportFilter["filterType"];
  /** Required for every operator but `EXIST` and `NOT EXIST`. */
  readonly values?: readonly string[];
}

/** The fields that every request of a report has. */
export interface RequestedRange {
  readonly from: string;
  readonly to: string;
  readonly filters: readonly RequestedFilter[];
}

/** Faults of a report's dates (contract/limits.md#reports, contract/reports.md#tasks). */
export function validateDates(from: LocalDate, to: LocalDate, today: LocalDate): readonly Fault[] {
  const faults = [...faultsOfFrom(from, to), ...faultsOfTo(to, today)];
  if (faults.length > 0 || daysBetween(from, to) < reportLimits.days) return faults;
  return [fault("out_of_range.too_many_dates", ["to"], { limit: reportLimits.days })];
}

function faultsOfFrom(from: string, to: string): readonly Fault[] {
  if (!isLocalDate(from)) return [fault("wrong_format.calendar_date", ["from"])];
  if (isLocalDate(to) && from > to) return [fault("out_of_range.after_to", ["from"])];
  if (from < earliestDate) return [fault("out_of_range.before_earliest", ["from"], { earliest: earliestDate })];
  return [];
}

function faultsOfTo(to: string, today: LocalDate): readonly Fault[] {
  if (!isLocalDate(to)) return [fault("wrong_format.calendar_date", ["to"])];
  return to > today ? [fault("out_of_range.after_today", ["to"], { today })] : [];
}

/** Faults of group-by keys (contract/reports.md#group-bys). `path` is the path to their list. */
export function validateGroupBys(keys: readonly string[], path: Path): readonly Fault[] {
  return keys.flatMap((key, index) => validateGroupBy(key, [...path, index]));
}

/** Faults of the key of a filter. */
type ValidateKey = (key: string, path: Path) => readonly Fault[];

/** Faults of a key that is no group-by. */
export const validateGroupBy: ValidateKey = (key, path) =>
  isGroupByKey(key) ? [] : [unknownKey("not_allowed.group_by", path, key, Object.keys(groupBys))];

/**
 * Faults of filters (contract/reports.md#filters): one selector each, a key of the catalogue, and values if the
 * operator needs them.
 * @param validateKey by default filters name group-bys
 */
export function validateFilters(
  filters: readonly RequestedFilter[],
  validateKey: ValidateKey = validateGroupBy,
): readonly Fault[] {
  return [
    ...filters.flatMap((filter, index) => [
      ...validateSelector(filter, index, validateKey),
      ...validateValues(filter, index),
    ]),
    ...validatePatterns(filters),
  ];
}

/**
 * Faults of sorts by fields that are not `sortable` (contract/reports.md#sorting).
 * @param code of the fault: its message names the fields by which the report can be sorted
 */
export function validateSorts(
  sorts: readonly ReportSort[],
  sortable: readonly string[],
  code: `not_allowed.${string}`,
): readonly Fault[] {
  return sorts.flatMap(({ fieldName }, index) =>
    sortable.includes(fieldName) ? [] : [unknownKey(code, ["sorts", index, "fieldName"], fieldName, sortable)],
  );
}

/** Validated sorts as they are stored. */
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
): readonly Fault[] {
  if (dimension !== undefined && field !== undefined) {
    return [fault("conflict", ["filters", index, "field"])];
  }
  const selector = field === undefined ? "dimension" : "field";
  const key = dimension ?? field;
  if (key === undefined) return [fault("missing", ["filters", index, "dimension"])];
  return validateKey(key, ["filters", index, selector]);
}

function validateValues({ filterType, values }: RequestedFilter, index: number): readonly Fault[] {
  const path = ["filters", index, "values"];
  if (ignoresValues(filterType)) return [];
  if (values === undefined) return [fault("missing.with_operator", path, { operator: filterType })];
  return values.length > 0 ? [] : [fault("too_short.with_operator", path, { operator: filterType })];
}

function validatePatterns(filters: readonly RequestedFilter[]): readonly Fault[] {
  const patterns = filters.filter(({ filterType }) => filterType === "LIKE" || filterType === "NOT LIKE");
  const count = patterns.reduce((sum, { values = [] }) => sum + values.length, 0);
  return count <= reportLimits.patterns
    ? []
    : [fault("too_long.patterns", ["filters"], { limit: reportLimits.patterns })];
}

/** Whether a filter needs no values (contract/reports.md#filters). */
function ignoresValues(filterType: RequestedFilter["filterType"]): boolean {
  return filterType === "EXIST" || filterType === "NOT EXIST";
}
