import { stringify } from "csv-stringify/sync";
import { type PropertyKey, rawExportProperties } from "../../domain/raw-exports/properties.ts";

/** Exact decimal text, which no spreadsheet runs although it begins with a minus. */
interface Decimal {
  readonly decimal: string;
}

/**
 * Rows of an export as CSV (RFC 4180, lines end in CR LF, no header), empty for no rows. Texts that a spreadsheet would
 * run as a formula are neutralised by an apostrophe; numbers stand as they are (contract/exports.md#downloading).
 */
export function csvOf(properties: readonly PropertyKey[], rows: readonly (readonly (string | null)[])[]): string {
  const isNumber = properties.map((key) => ["number", "integer"].includes(rawExportProperties[key]));
  return stringify(
    rows.map((row) => cellsOf(row, isNumber)),
    {
      record_delimiter: "windows",
      escape_formulas: true,
      // Many readers skip the empty line that an empty cell alone would be.
      quoted_empty: properties.length === 1,
      // The library quotes whole line ends only.
      quoted_match: /[\r\n]/,
      cast: { object: (value: Partial<Decimal>) => ({ value: value.decimal ?? "", escape_formulas: false }) },
    },
  );
}

/** The header row: property keys, none of which needs quotes. */
export function csvHeader(properties: readonly PropertyKey[]): string {
  return `${properties.join(",")}\r\n`;
}

function cellsOf(row: readonly (string | null)[], isNumber: readonly boolean[]): readonly (string | Decimal | null)[] {
  return row.map((cell, index) => {
    // The library knows every other prefix of a formula.
    if (cell?.startsWith("\n")) return `'${cell}`;
    return isNumber[index] === true && cell?.startsWith("-") ? { decimal: cell } : cell;
  });
}
