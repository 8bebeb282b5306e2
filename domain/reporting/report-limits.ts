/** What a report may ask at most (A: Limits, D7.6). */
export const reportLimits = {
  days: 92,
  groupBys: 10,
  metrics: 20,
  filters: 100,
  rows: 10_000,
  page: 100,
  defaultPage: 50,
} as const;

/** Operators of filters (D7.2). */
export const filterTypes = ["IN", "NOT IN", "LIKE", "NOT LIKE", "EXIST", "NOT EXIST"] as const;
