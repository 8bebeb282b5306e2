import { unknownKey } from "../../did-you-mean.ts";
import type { DateRangeQuery } from "../../report-tasks/events.ts";
import type { LocalDate } from "../../values/local-time.ts";
import type { Granularity } from "../granularity.ts";
import {
  type RequestedRange,
  storedFilters,
  type ValidatedQuery,
  validateDates,
  validated,
  validateFilters,
  validateGroupBys,
} from "../query-validation.ts";
import { type ActiveUsersMetric, countedFor, isActiveUsersMetric } from "./metrics.ts";

// NOTE storage format
/** Query of an active users report (contract/reports.md#active-users). */
export interface ActiveUsersQuery extends DateRangeQuery {
  readonly granularity: Granularity;
  readonly metrics: readonly ActiveUsersMetric[];
}

declare module "../../report-tasks/events.ts" {
  interface ReportQueries {
    readonly active_users: ActiveUsersQuery;
  }
}

/** A request whose shape is valid; its keys and dates are not validated yet. */
export interface RequestedActiveUsers extends RequestedRange {
  readonly granularity: Granularity;
  readonly metrics: readonly string[];
  readonly groupBy: { readonly fields: readonly string[] };
}

/**
 * Validates what a schema cannot (contract/reports.md#active-users): real dates in range, keys of the catalogue, the
 * five metrics, one selector per filter. Returns every fault.
 * @param today the current date of the app's time zone
 */
export function validateActiveUsersQuery(
  requested: RequestedActiveUsers,
  today: LocalDate,
): ValidatedQuery<ActiveUsersQuery> {
  const { from, to, granularity, groupBy, filters } = requested;
  const metrics = requested.metrics.filter(isActiveUsersMetric);
  const faults = [
    ...validateDates(from, to, today),
    ...requested.metrics.flatMap((key, index) =>
      isActiveUsersMetric(key)
        ? []
        : [unknownKey("not_allowed.metric", ["metrics", index], key, Object.keys(countedFor))],
    ),
    ...validateGroupBys(groupBy.fields, ["groupBy", "fields"]),
    ...validateFilters(filters),
  ];
  return validated(faults, {
    from,
    to,
    granularity,
    metrics,
    groupBys: groupBy.fields,
    filters: storedFilters(filters),
  });
}
