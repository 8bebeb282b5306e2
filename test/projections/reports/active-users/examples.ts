import { DateTime } from "luxon";
import type { ActiveUsersQuery } from "../../../../domain/reporting/active-users/query.ts";
import { type ActiveUsersResult, runActiveUsers } from "../../../../projections/reports/active-users/run.ts";
import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import { install } from "../actuals/advertising.ts";
import type { AppEvent } from "../facts.ts";
import { openReportFacts, reportScope } from "../report-facts.ts";

export type ActiveUsersAt = ReportAt<"active_users">;

const zone = "Asia/Seoul";

/** What a device did at a local time, or an instant; the date and hour are those of a zone. */
export function did(category: string, at: string, device: number, more: Partial<AppEvent> = {}, timezone = zone) {
  const instant = DateTime.fromISO(at, { zone: timezone });
  const when = { at: instant.toUTC().toISO() ?? "", date: instant.toISODate() ?? "", hour: instant.hour };
  return { ...install, from: 1, category, device, ...when, ...more };
}

/** All metrics of two days of March, as of April, in won, at position 9. */
export function activeUsersReport(
  query: Partial<ActiveUsersQuery> = {},
  more: Partial<Omit<ActiveUsersAt, "query">> = {},
): ActiveUsersAt {
  return {
    ...reportScope,
    now: new Date("2026-04-10T00:00:00Z"),
    ...more,
    query: {
      from: "2026-03-02",
      to: "2026-03-03",
      granularity: "day",
      metrics: ["app_au", "app_pu", "app_revenue", "app_arpu", "app_arppu"],
      groupBys: [],
      filters: [],
      ...query,
    },
  };
}

export const openActiveUsersFacts = () => openReportFacts(runActiveUsers);

/** Groups as `[group-bys, [number of the interval, values]...]`. */
export function groupsOf({ rows }: ActiveUsersResult) {
  return rows.map(({ groupBys, intervals, values }) => [
    groupBys,
    ...intervals.map((number, index) => [number, values[index]]),
  ]);
}

export function codes({ notifications }: ActiveUsersResult): readonly string[] {
  return notifications.map(({ code }) => code);
}
