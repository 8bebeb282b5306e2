import { type Column, columnsOf, isRequired } from "./columns.ts";
import type { UploadKind } from "./events.ts";
import { type FaultList, wholeFile } from "./fault-list.ts";
import { longestValue } from "./upload-limits.ts";

/** The column that each place of a row belongs to; null where the kind has none of that name. */
export type Header = readonly (Column | null)[];

/** Columns that no upload knows which a reason names: it is an event's data, and those are bounded. */
const mostUnknown = 100;

const lineEnds = "must end its lines with a line feed, with or without a carriage return before it";

/**
 * Reads the names of a file's columns; each fault stands under the column's name as spelled
 * (contract/uploads.md#format).
 */
export function readHeader(kind: UploadKind, names: readonly string[], faults: FaultList): Header {
  if (names.some((name) => name.includes("\r"))) faults.add(wholeFile, lineEnds);
  const known = new Map(columnsOf[kind].map((column) => [column.name, column]));
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);

  let unknown = 0;
  for (const [name, count] of times) {
    if (!known.has(name) && ++unknown > mostUnknown) continue;
    if (!known.has(name)) faults.add(inReason(name), faultOfUnknown(name, known));
    if (count > 1) faults.add(inReason(name), `stands ${count} times in the header: once is enough`);
  }
  if (unknown > mostUnknown) {
    faults.add(wholeFile, `the header has ${unknown - mostUnknown} more columns that this upload does not know`);
  }
  for (const column of known.values()) {
    if (isRequired(column) && !times.has(column.name)) faults.add(column.name, "is a required column and is missing");
  }
  return names.map((name) => known.get(name) ?? null);
}

function faultOfUnknown(name: string, known: ReadonlyMap<string, Column>): string {
  if (name === "") return "a column has no name";
  const meant = name.trim().toLowerCase();
  if (!known.has(meant)) return "is not a column of this upload";
  return name.trim() === name
    ? `must be written ${meant}, in lower case`
    : `must be written ${meant}, without white space around it`;
}

/**
 * A name as spelled, but for U+0000, which nothing stores (contract/http.md#text); of one longer than any value may be,
 * its beginning.
 */
function inReason(name: string): string {
  const spelled = name.replaceAll("\0", "\uFFFD");
  return spelled.length <= longestValue
    ? spelled
    : `${[...spelled.slice(0, 2 * longestValue)].slice(0, longestValue).join("")}…`;
}
