import { type RequestedFilter, storedFilters, validateFilters } from "../reporting/date-range-validation.ts";
import { fault, type QueryFault, type ValidatedQuery } from "../reporting/validation-faults.ts";
import { addDays, type LocalDate } from "../values/local-time.ts";
import { isEventKey } from "./event-keys.ts";
import type { RawExportQuery, RawExportType } from "./events.ts";
import { isLocalDateTime, wallClock } from "./local-range.ts";
import { isPropertyKey } from "./properties.ts";

/**
 * Limits of a request (contract/exports.md#requesting). `rangeDays` from start to end, `oldestDays` from the current
 * date back to that of the start.
 */
export const rawExportLimits = { rangeDays: 31, oldestDays: 179, events: 200 } as const;

export const rawExportTypes: readonly RawExportType[] = ["app", "web", "tracking-link"];

/** An export as a request asks it: shapes are right, dates and names are not checked yet. */
export interface RawExportRequest {
  readonly dateRange: { readonly start: string; readonly end: string };
  readonly events: readonly string[];
  readonly properties: readonly string[];
  readonly filters?: readonly RequestedFilter[];
}

/**
 * Checks what a schema cannot (contract/exports.md#requesting): real dates in range, event keys of the type, property
 * keys, each once, filters on properties. Answers every fault.
 * @param today the current date of the app's time zone
 */
export function checkRawExport(
  type: RawExportType,
  { dateRange, events, properties, filters = [] }: RawExportRequest,
  today: LocalDate,
): ValidatedQuery<RawExportQuery> {
  const faults = [
    ...faultsOfRange(dateRange, today),
    ...events.flatMap((key, index) =>
      isEventKey(type, key) ? [] : [fault(["events", index], "is not an event of this export", "not_allowed")],
    ),
    ...properties.flatMap((key, index) => faultsOfProperty(properties, key, index)),
    ...validateFilters(filters, faultsOfKey),
  ];
  if (faults.length > 0) return { outcome: "invalid", faults };
  return {
    outcome: "valid",
    query: {
      type,
      start: dateRange.start,
      end: dateRange.end,
      events: [...new Set(events)],
      properties,
      filters: storedFilters(filters),
    },
  };
}

function faultsOfRange({ start, end }: RawExportRequest["dateRange"], today: LocalDate): readonly QueryFault[] {
  const unreal = Object.entries({ start, end }).flatMap(([field, text]) =>
    isLocalDateTime(text)
      ? []
      : [fault(["dateRange", field], "must be a date and time like 2026-03-31 23:59:59", "wrong_format")],
  );
  if (unreal.length > 0) return unreal;
  const { rangeDays, oldestDays } = rawExportLimits;
  if (start > end) return [fault(["dateRange", "start"], "must not be after end", "out_of_range")];
  const oldest = addDays(today, -oldestDays);
  if (start.slice(0, 10) < oldest) {
    return [
      fault(["dateRange", "start"], `must not be before ${oldest}, ${oldestDays} days ago in the app`, "out_of_range"),
    ];
  }
  if (end.slice(0, 10) > today) {
    return [fault(["dateRange", "end"], `must not be after ${today}, the current date of the app`, "out_of_range")];
  }
  return wallClock(end) - wallClock(start) <= rangeDays * 86_400_000
    ? []
    : [fault(["dateRange", "end"], `must be at most ${rangeDays} days after start`, "out_of_range")];
}

function faultsOfProperty(properties: readonly string[], key: string, index: number): readonly QueryFault[] {
  const loc = ["properties", index];
  if (!isPropertyKey(key)) return faultsOfKey(key, loc);
  return properties.indexOf(key) === index ? [] : [fault(loc, "must not be repeated", "duplicate")];
}

function faultsOfKey(key: string, loc: QueryFault["loc"]): readonly QueryFault[] {
  return isPropertyKey(key) ? [] : [fault(loc, "is not a property of this export", "not_allowed")];
}
