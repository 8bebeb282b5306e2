import type { ReportFilter } from "../../../domain/report-tasks/events.ts";
import type { Bind } from "./statement.ts";

/** Rules of case that are those of Unicode in every database, whatever its own are. */
const everyCase = 'collate "und-x-icu"';

/**
 * Whether a fact passes a filter (contract/reports.md#filters). What is missing is an empty text, as in answers
 * (contract/reports.md#group-bys).
 * @param text SQL of what the fact says, null when it says nothing
 */
export function filterCondition(text: string, { filterType, values }: ReportFilter, bind: Bind): string {
  const said = `coalesce(${text}, '')`;
  switch (filterType) {
    case "IN":
      return `${said} = any (${bind(values)}::text[])`;
    case "NOT IN":
      return `${said} <> all (${bind(values)}::text[])`;
    case "LIKE":
      return `upper(${said} ${everyCase}) like any (${patternsOf(values, bind)})`;
    case "NOT LIKE":
      return `upper(${said} ${everyCase}) not like all (${patternsOf(values, bind)})`;
    case "EXIST":
      return `${said} <> ''`;
    case "NOT EXIST":
      return `${said} = ''`;
  }
}

/** Both sides are turned to upper case by the database: two tables of Unicode need not agree. */
function patternsOf(values: readonly string[], bind: Bind): string {
  const patterns = `unnest(${bind(values.map(containing))}::text[]) as of_value (pattern)`;
  return `array(select upper(pattern ${everyCase}) from ${patterns})`;
}

/** The pattern of texts that contain a value: `*` in it stands for anything, every other character for itself. */
function containing(value: string): string {
  return `%${value.replace(/[\\%_]/g, "\\$&").replace(/\*+/g, "%")}%`;
}
