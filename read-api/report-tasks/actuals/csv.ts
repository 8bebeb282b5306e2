import { stringify } from "csv-stringify/sync";
import type { ActualsQuery } from "../../../domain/reporting/actuals/query.ts";
import type { ActualsRow } from "../../../projections/reports/actuals/run.ts";

/**
 * A whole result as CSV (RFC 4180), keys in the first row. Texts that a spreadsheet would run as a formula are
 * neutralised; numbers stand with every digit that is stored. What is missing is empty.
 */
export function actualsCsv({ groupBys, metrics }: ActualsQuery, rows: readonly ActualsRow[]): string {
  const cells = rows.map((row) => [
    ...row.groupBys.map((value) => value ?? ""),
    ...row.values.map((value) => (value === null ? "" : cellOf(value))),
  ]);
  return stringify([[...groupBys, ...metrics], ...cells], {
    record_delimiter: "windows",
    escape_formulas: true,
    cast: { object: ({ number }) => ({ value: String(number), escape_formulas: false }) },
  });
}

interface NegativeNumber {
  readonly number: string;
}

/** A minus sign would be taken for the beginning of a formula. */
function cellOf(value: string): string | NegativeNumber {
  return value.startsWith("-") ? { number: value } : value;
}
