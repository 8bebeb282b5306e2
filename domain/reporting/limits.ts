/** Maximum sizes of reports (contract/limits.md#reports, contract/reports.md#rows). */
export const reportLimits = {
  /** Reports that are computed at the same time. */
  concurrent: 2,
  days: 92,
  groupBys: 10,
  metrics: 20,
  filters: 100,
  rows: 10_000,
  /** Groups of an active users report, and intervals of all of them in which something happened. */
  activeGroups: 1_000,
  activeIntervals: 200_000,
  page: 100,
  defaultPage: 50,
} as const;

/** Operators of filters (contract/reports.md#filters). */
export const filterTypes = ["IN", "NOT IN", "LIKE", "NOT LIKE", "EXIST", "NOT EXIST"] as const;
