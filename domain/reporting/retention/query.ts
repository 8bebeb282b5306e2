import { type Fault, fault } from "../../fault.ts";
import type { RetentionQuery } from "../../report-tasks/events.ts";
import type { LocalDate } from "../../values/local-time.ts";
import {
  type AskedFilter,
  faultsOfDates,
  faultsOfFilters,
  faultsOfGroupBys,
  storedFilters,
} from "../date-range-validation.ts";
import type { CheckedQuery } from "../validation-faults.ts";

/** A retention report as a request asks it: shapes are right, names and dates are not checked yet. */
export interface AskedRetention {
  readonly from: string;
  readonly to: string;
  readonly granularity: RetentionQuery["granularity"];
  readonly startEvent: RetentionQuery["startEvents"];
  readonly returnEvents: RetentionQuery["returnEvents"];
  readonly measurementOption: RetentionQuery["measurementOption"];
  readonly groupBy: { readonly fields: readonly string[] };
  readonly filters: readonly AskedFilter[];
  readonly sorts: readonly { readonly fieldName: string; readonly isAscending: boolean }[];
  readonly keyword?: string;
  readonly pagination?: { readonly skip?: number; readonly size?: number };
}

/** What rows can be sorted by beside their group-bys (contract/reports.md#rows). */
export const startUsers = "startUsers";

/**
 * Checks what a schema cannot (contract/reports.md#retention): real dates in range, keys of the catalogue, hours and
 * minutes for installs alone, one selector a filter, sorts by requested fields. Answers every fault. Start and return
 * events that are named twice are taken once.
 * @param today the current date of the app's time zone
 */
export function checkRetentionQuery(asked: AskedRetention, today: LocalDate): CheckedQuery<RetentionQuery> {
  const { from, to, granularity, startEvent, returnEvents, measurementOption, groupBy, filters, sorts } = asked;
  const sortable = [startUsers, ...groupBy.fields];
  const faults = [
    ...faultsOfDates(from, to, today),
    ...faultsOfGranularity(granularity, startEvent),
    ...faultsOfGroupBys(groupBy.fields, ["groupBy", "fields"]),
    ...faultsOfFilters(filters),
    ...sorts.flatMap(({ fieldName }, index) =>
      sortable.includes(fieldName) ? [] : [fault("not_allowed.sort_of_retention", ["sorts", index, "fieldName"])],
    ),
  ];
  if (faults.length > 0) return { outcome: "invalid", faults };
  return {
    outcome: "valid",
    query: {
      from,
      to,
      granularity,
      startEvents: [...new Set(startEvent)],
      returnEvents: [...new Set(returnEvents)],
      measurementOption,
      groupBys: groupBy.fields,
      filters: storedFilters(filters),
      sorts: sorts.map(({ fieldName, isAscending }) => ({ fieldName, isAscending })),
      ...(asked.keyword === undefined ? {} : { keyword: asked.keyword }),
      ...(asked.pagination === undefined ? {} : { pagination: asked.pagination }),
    },
  };
}

/** Hours and minutes are counted from installs alone (contract/reports.md#intervals). */
function faultsOfGranularity(
  granularity: RetentionQuery["granularity"],
  startEvents: RetentionQuery["startEvents"],
): readonly Fault[] {
  const isFine = granularity === "hour" || granularity === "minute";
  if (!isFine || startEvents.every((key) => key === "app_installs")) return [];
  return [fault("not_allowed.fine_granularity", ["granularity"])];
}
