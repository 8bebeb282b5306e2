import { InvalidArgumentError } from "commander";
import { parse } from "csv-parse/sync";
import type { RawExportType } from "../../domain/raw-exports/events.ts";
import type { RawExportRequest } from "../../domain/raw-exports/export-query.ts";
import { isLocalDateTime } from "../../domain/raw-exports/local-range.ts";

type ExportFilter = NonNullable<RawExportRequest["filters"]>[number];

/** The options that describe the rows and columns of an export. */
export interface ExportQueryOptions {
  readonly type?: RawExportType;
  readonly from?: string;
  readonly to?: string;
  readonly events?: readonly string[];
  readonly properties?: readonly string[];
  readonly filter?: readonly ExportFilter[];
}

/** The options of these without a default value. */
export const queryOptions = ["type", "from", "to", "events", "properties", "filter"] as const;

export const filterHelp = `
Filters (each --filter narrows the rows further):
  --filter channel=newsletter,partner   IN: one of these values
  --filter channel!=partner             NOT IN: none of these values
  --filter 'campaign~=week_*'           LIKE: contains one of these texts, in capitals or not; * stands for anything
  --filter 'campaign!~=test'            NOT LIKE: contains none of these texts
  --filter campaign                     EXIST: has a value
  --filter '!campaign'                  NOT EXIST: has no value
A value with a comma stands in double quotes: --filter 'campaign="spring, summer",autumn'`;

/** The request for the options, or the names of missing options. */
export function exportRequestOf(
  options: ExportQueryOptions,
):
  | { readonly type: RawExportType; readonly body: RawExportRequest }
  | { readonly missing: readonly (keyof ExportQueryOptions)[] } {
  const { type, from, to, events, properties, filter } = options;
  if (type && from && to && events && properties) {
    const body = { dateRange: { start: from, end: to }, events, properties };
    return { type, body: filter === undefined ? body : { ...body, filters: filter } };
  }
  return { missing: queryOptions.filter((name) => name !== "filter" && options[name] === undefined) };
}

/** Returns a parser of `YYYY-MM-DD HH:MM:SS`, or of `YYYY-MM-DD`, which it completes with `time`. */
export function momentAt(time: "00:00:00" | "23:59:59"): (text: string) => string {
  return (text) => {
    const moment = text.length === 10 ? `${text} ${time}` : text;
    if (isLocalDateTime(moment)) return moment;
    throw new InvalidArgumentError('It must be a date like 2026-03-31, or like "2026-03-31 23:59:59".');
  };
}

/** Adds comma-separated keys to those of earlier occurrences of the option. */
export function addKeys(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...valuesIn(text, true).filter((key) => key !== "")];
}

const operators: { readonly [sign: string]: ExportFilter["filterType"] } = {
  "=": "IN",
  "!=": "NOT IN",
  "~=": "LIKE",
  "!~=": "NOT LIKE",
};

/** Adds a filter in the syntax of {@link filterHelp} to those of earlier occurrences of the option. */
export function addFilter(text: string, before: readonly ExportFilter[] = []): readonly ExportFilter[] {
  return [...before, filterIn(text)];
}

function filterIn(text: string): ExportFilter {
  const [, key = "", sign = "", written = ""] = /^([^=!~]+)(!=|~=|!~=|=)(.*)$/s.exec(text) ?? [];
  const filterType = operators[sign];
  if (filterType !== undefined) {
    if (written.startsWith("=")) {
      throw new InvalidArgumentError(
        `Write ${key}${sign}${written.replace(/^=+/, "")}; a value that begins with = stands in double quotes.`,
      );
    }
    const values = valuesIn(written, false);
    if (values.length === 0) throw new InvalidArgumentError(`It names no value behind "${sign}".`);
    return { dimension: key.trim(), filterType, values };
  }
  const [, not = "", dimension = ""] = /^(!?)([^=!~]+)$/.exec(text) ?? [];
  if (dimension.trim() === "") throw new InvalidArgumentError("It is not like channel=a,b or !campaign; see --help.");
  return { dimension: dimension.trim(), filterType: not === "" ? "EXIST" : "NOT EXIST" };
}

/** Parses comma-separated values, which may be in double quotes; returns none for an empty text. */
function valuesIn(text: string, trim: boolean): readonly string[] {
  try {
    // Arguments cannot contain NUL, so the text is one record even if it has several lines.
    const records: string[][] = parse(text, { record_delimiter: "\0", relax_quotes: true, trim });
    return records.flat();
  } catch {
    throw new InvalidArgumentError("Double quotes stand around a whole value; see --help.");
  }
}
