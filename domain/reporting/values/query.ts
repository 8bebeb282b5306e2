import type { Fault } from "../../fault.ts";
import { addDays, calendarDays, isLocalDate, type LocalDate } from "../../values/local-time.ts";
import { date as dateFields, type GroupByKey } from "../catalogue/group-bys.ts";
import { reportLimits } from "../limits.ts";
import { type ValidatedQuery, validateDates, validated, validateGroupBy } from "../query-validation.ts";

/** Limits of the values of a field (contract/limits.md#reports): their number, characters, and the time of a statement. */
export const valuesLimits = { values: 100, prefix: 256, timeoutMs: 10_000 } as const;

/** The requested values of a field (contract/reports.md#values). */
export interface ValuesQuery {
  readonly field: GroupByKey;
  /** Case-sensitive prefix of the values. */
  readonly prefix: string;
  readonly from: LocalDate;
  readonly to: LocalDate;
}

/** The values of a field, in order. */
export interface FieldValues {
  readonly values: readonly string[];
  /** Whether there are more of them. */
  readonly hasNext: boolean;
}

type RequestedValues = Pick<ValuesQuery, "prefix"> & {
  readonly field: string;
  readonly from?: string;
  readonly to?: string;
};

/**
 * Validates what a schema cannot: a field that reports can be grouped by, and real dates in range, by default as many as a
 * report may have until the current date. Returns every fault.
 * @param today the current date of the app's time zone
 */
export function validateValuesQuery(requested: RequestedValues, today: LocalDate): ValidatedQuery<ValuesQuery> {
  const { field, prefix, to = today } = requested;
  const { from = isLocalDate(to) ? addDays(to, 1 - reportLimits.days) : to } = requested;
  const faults: readonly Fault[] = [...validateGroupBy(field, ["field"]), ...validateDates(from, to, today)];
  return validated(faults, { field: field as GroupByKey, prefix, from, to });
}

/** The first values with a prefix; `values` may be in any order. */
function firstValues(values: Iterable<string>, prefix: string): FieldValues {
  const found = [...new Set(values)].filter((value) => value.startsWith(prefix)).sort();
  return { values: found.slice(0, valuesLimits.values), hasNext: found.length > valuesLimits.values };
}

/** The values of a field of dates that the calendar gives for the dates of a query; null for other fields. */
export function calendarValues({ field, prefix, from, to }: ValuesQuery): FieldValues | null {
  if (!isDateField(field)) return null;
  if (field === "event_hour") return firstValues(hours, prefix);
  return firstValues(
    calendarDays(from, to).map((day) => day[calendarFields[field]]),
    prefix,
  );
}

type DateField = keyof typeof dateFields;

function isDateField(field: GroupByKey): field is DateField {
  return Object.hasOwn(dateFields, field);
}

const calendarFields = {
  event_date: "date",
  event_year: "year",
  event_month: "month",
  event_week: "week",
  event_day_of_week: "dayOfWeek",
} as const satisfies { readonly [field in Exclude<DateField, "event_hour">]: string };

const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));
