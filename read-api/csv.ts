import { stringify } from "csv-stringify/sync";

/** Null: empty. */
export type CsvCell = string | number | boolean | null;

/** A text that a spreadsheet reads as a number, not as a formula, though it begins with a sign. */
const signedNumber = /^[+-]\d+(\.\d+)?(e[+-]?\d+)?$/i;

/**
 * Lines of CSV (RFC 4180, ends in CR LF); empty for no lines. Texts that a spreadsheet would run as a formula are
 * neutralised by an apostrophe; numbers, also as texts, are unchanged (contract/exports.md#downloading).
 * @param quotesEmpty whether an empty cell is quoted: many readers skip the empty line of a single empty cell
 */
export function csvLines(lines: readonly (readonly CsvCell[])[], quotesEmpty = false): string {
  return stringify([...lines], {
    record_delimiter: "windows",
    escape_formulas: true,
    quoted_empty: quotesEmpty,
    // The library quotes whole line ends only.
    quoted_match: /[\r\n]/,
    cast: {
      boolean: String,
      // The library knows every other prefix of a formula.
      string: (text) => {
        if (signedNumber.test(text)) return { value: text, escape_formulas: false };
        return text.startsWith("\n") ? `'${text}` : text;
      },
    },
  });
}
