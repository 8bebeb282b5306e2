import type { ActiveUsersQuery } from "../../report-tasks/events.ts";
import type { LocalDate } from "../../values/local-time.ts";
import {
  type AskedFilter,
  faultsOfDates,
  faultsOfFilters,
  faultsOfGroupBys,
  storedFilters,
} from "../date-range-validation.ts";
import { type CheckedQuery, unknownKey } from "../validation-faults.ts";
import { isActiveUsersMetric } from "./catalogue.ts";

/** An active users report as a request asks it: shapes are right, names and dates are not checked yet. */
export interface AskedActiveUsers {
  readonly from: string;
  readonly to: string;
  readonly granularity: ActiveUsersQuery["granularity"];
  readonly metrics: readonly string[];
  readonly groupBy: { readonly fields: readonly string[] };
  readonly filters: readonly AskedFilter[];
}

/**
 * Checks what a schema cannot (contract/reports.md#active-users): real dates in range, keys of the catalogue, the five
 * metrics, one selector a filter. Answers every fault.
 * @param today the current date of the app's time zone
 */
export function checkActiveUsersQuery(asked: AskedActiveUsers, today: LocalDate): CheckedQuery<ActiveUsersQuery> {
  const { from, to, granularity, groupBy, filters } = asked;
  const metrics = asked.metrics.filter(isActiveUsersMetric);
  const faults = [
    ...faultsOfDates(from, to, today),
    ...asked.metrics.flatMap((key, index) => unknownKey(isActiveUsersMetric(key), ["metrics", index], "metric")),
    ...faultsOfGroupBys(groupBy.fields, ["groupBy", "fields"]),
    ...faultsOfFilters(filters),
  ];
  if (faults.length > 0) return { outcome: "invalid", faults };
  const query = { from, to, granularity, metrics, groupBys: groupBy.fields, filters: storedFilters(filters) };
  return { outcome: "valid", query };
}
