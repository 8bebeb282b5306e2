/** A table of the command line that is the CSV of a report, with ratios rounded. */
export interface CsvTable {
  /** Whether the numbers of a column are ratios. */
  isRatio(column: string, query: object): boolean;
}

/** Metrics of active users and revenue that are quotients (contract/reports.md#revenue). */
const ratios = new Set(["app_arpu", "app_arppu", "app_roas"]);

export const activeUsersTable: CsvTable = { isRatio: (column) => ratios.has(column) };

export const retentionTable: CsvTable = { isRatio: (column) => /^rate_\d+$/.test(column) };

/** Intervals, from `day_0` on, hold the one metric that is requested. */
export const revenueTable: CsvTable = {
  isRatio: (column, query) =>
    /^(?:minute|hour|day|week|month)_\d+$/.test(column) && ratios.has((query as { readonly metric: string }).metric),
};
