import { unknownKey } from "../did-you-mean.ts";
import { type Fault, fault, type Path } from "../fault.ts";
import {
  type RequestedFilter,
  storedFilters,
  type ValidatedQuery,
  validated,
  validateFilters,
} from "../reporting/query-validation.ts";
import { dayMs } from "../values/instants.ts";
import { addDays, type LocalDate } from "../values/local-time.ts";
import type { RawExportQuery, RawExportType } from "./events.ts";
import { eventKeysOf, isEventKey } from "./export-event-keys.ts";
import { isLocalDateTime, wallClock } from "./local-range.ts";
import { isPropertyKey, rawExportProperties } from "./properties.ts";

/**
 * Limits of a request (contract/exports.md#requesting). `rangeDays` from start to end, `oldestDays` from the current
 * date back to that of the start, `perDay` exports that an app can request on one local date.
 */
export const rawExportLimits = { rangeDays: 31, oldestDays: 179, events: 200, perDay: 100 } as const;

export const rawExportTypes: readonly RawExportType[] = ["app", "web", "tracking-link"];

/** The body of a request: it fits the schema; dates and names are not validated yet. */
export interface RawExportRequest {
  readonly dateRange: { readonly start: string; readonly end: string };
  readonly events: readonly string[];
  readonly properties: readonly string[];
  readonly filters?: readonly RequestedFilter[];
}

/**
 * Validates what a schema cannot (contract/exports.md#requesting): dates, event keys of the type, distinct property keys,
 * filters on properties. Returns every fault.
 * @param today the current date of the app's time zone
 */
export function validateRawExport(
  type: RawExportType,
  { dateRange, events, properties, filters = [] }: RawExportRequest,
  today: LocalDate,
): ValidatedQuery<RawExportQuery> {
  const faults = [
    ...faultsOfRange(dateRange, today),
    ...events.flatMap((key, index) =>
      isEventKey(type, key) ? [] : [unknownKey("not_allowed.event", ["events", index], key, eventKeysOf(type))],
    ),
    ...properties.flatMap((key, index) => faultsOfProperty(properties, key, index)),
    ...validateFilters(filters, faultsOfKey),
  ];
  return validated(faults, {
    type,
    start: dateRange.start,
    end: dateRange.end,
    events: [...new Set(events)],
    properties,
    filters: storedFilters(filters),
  });
}

function faultsOfRange({ start, end }: RawExportRequest["dateRange"], today: LocalDate): readonly Fault[] {
  const unreal = Object.entries({ start, end }).flatMap(([field, text]) =>
    isLocalDateTime(text) ? [] : [fault("wrong_format.date_and_time", ["dateRange", field])],
  );
  if (unreal.length > 0) return unreal;
  const { rangeDays, oldestDays } = rawExportLimits;
  if (start > end) return [fault("out_of_range.after_end", ["dateRange", "start"])];
  const oldest = addDays(today, -oldestDays);
  if (start.slice(0, 10) < oldest) {
    return [fault("out_of_range.too_old", ["dateRange", "start"], { oldest, days: oldestDays })];
  }
  if (start.slice(0, 10) > today) {
    return [fault("out_of_range.after_today", ["dateRange", "start"], { today })];
  }
  return wallClock(end) - wallClock(start) <= rangeDays * dayMs
    ? []
    : [fault("out_of_range.too_many_days", ["dateRange", "end"], { days: rangeDays })];
}

function faultsOfProperty(properties: readonly string[], key: string, index: number): readonly Fault[] {
  const path = ["properties", index];
  if (!isPropertyKey(key)) return faultsOfKey(key, path);
  return properties.indexOf(key) === index ? [] : [fault("duplicate", path)];
}

function faultsOfKey(key: string, path: Path): readonly Fault[] {
  return isPropertyKey(key) ? [] : [unknownKey("not_allowed.property", path, key, Object.keys(rawExportProperties))];
}
