import { metricOf } from "../../domain/reporting/catalogue/catalogue.ts";

/** A table of the command line that is the CSV of a report, with ratios rounded. */
export interface CsvTable {
  /** Whether the numbers of a column are ratios. */
  isRatio(column: string, query: object): boolean;
}

export const actualsTable: CsvTable = { isRatio: (column) => metricOf(column)?.kind === "ratio" };

/** Metrics of active users and revenue that are quotients (contract/reports.md#revenue). */
const ratios = new Set(["app_arpu", "app_arppu", "app_roas"]);

export const activeUsersTable: CsvTable = { isRatio: (column) => ratios.has(column) };

export const retentionTable: CsvTable = { isRatio: (column) => /^rate_\d+$/.test(column) };

/** Intervals, from `day_0` on, hold the one metric that is requested. */
export const revenueTable: CsvTable = {
  isRatio: (column, query) =>
    /^(?:minute|hour|day|week|month)_\d+$/.test(column) && ratios.has((query as { readonly metric: string }).metric),
};

/**
 * At most two decimals, four below 1, two significant digits if it would be rounded to 0; keeps the masking mark `+`.
 */
export function roundedRatio(text: string): string {
  const [, number = "", mark = ""] = /^(-?\d+\.\d+(?:[eE][-+]?\d+)?)(\+?)$/.exec(text) ?? [];
  if (number === "") return text;
  const value = Number(number);
  const rounded = value.toFixed(Math.abs(value) < 1 ? 4 : 2).replace(/\.?0+$/, "");
  return `${Number(rounded) === 0 && value !== 0 ? value.toPrecision(2) : rounded}${mark}`;
}
