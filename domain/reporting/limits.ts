/** Maximum sizes of reports (contract/limits.md#reports, contract/reports.md#rows). */
export const reportLimits = {
  /** Maximum reports that are computed at the same time. */
  concurrent: 2,
  days: 92,
  /** Group-bys of actuals. */
  groupBys: 10,
  metrics: 20,
  filters: 100,
  /** Values of all filters with `LIKE` and `NOT LIKE`: each fact is compared with each of them. */
  patterns: 100,
  /** Return events of retention and revenue. */
  returnEvents: 200,
  /** Rows of a result; those of retention, revenue and active users are groups. */
  rows: 10_000,
  /** Sub-rows of all groups of a retention or revenue report together. */
  subRows: 50_000,
  /** Values of intervals, of all groups together. */
  cells: 5_000_000,
  page: 100,
  defaultPage: 50,
  /** Contributions of a page of an explanation. */
  explainedPage: 1_000,
} as const;

/** Maximum groups, sub-rows, and lines (groups and sub-rows) of the result of a retention or revenue report. */
export interface ResultLimits {
  readonly groups: number;
  readonly subRows: number;
  readonly lines: number;
}

/**
 * The maximum size of the result of a report whose lines have a number of intervals (contract/reports.md#rows). A line
 * is a group or a sub-row, and has a cell for every interval of the report.
 */
export function maxResultLines(intervals: number): ResultLimits {
  const { rows: groups, subRows, cells } = reportLimits;
  return { groups, subRows, lines: Math.floor(cells / Math.max(1, intervals)) };
}

/** Maximum groups of a result by the number of cells of each (contract/reports.md#rows). */
export function maxResultGroups(cells: number): number {
  return Math.min(reportLimits.rows, Math.floor(reportLimits.cells / Math.max(1, cells)));
}
