import type { ReportNotification } from "../report-tasks/events.ts";

/** What a report on cohorts holds at most: groups, and sub-rows of all of them (contract/reports.md#rows). */
export const cohortLimits = { groups: 1_000, subRows: 10_000 } as const;

/**
 * There are more groups, or sub-rows, than a report on cohorts holds (contract/reports.md#rows): its last groups are
 * left out whole.
 */
export const exceededCohortLimits: ReportNotification = {
  code: "EXCEEDED_LIMIT_ON_MAX_ROW_COUNT.cohorts",
  type: "WARNING",
  params: { groups: cohortLimits.groups, rows: cohortLimits.subRows },
};
