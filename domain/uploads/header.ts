import { maxValueLength } from "./cells/cell.ts";
import { type FaultList, wholeFile } from "./fault-list.ts";
import { isRequired } from "./kinds/columns.ts";
import type { Column } from "./kinds/upload-module.ts";

/** The columns of a file in its order; null where the kind of upload has none of that name. */
export type Header = readonly (Column | null)[];

/** Maximum unknown columns that a reason names: the data of an event is limited in size. */
const maxUnknown = 100;

const lineEnds = "must end its lines with a line feed, with or without a carriage return before it";

/** Reads the names of a file's columns. Each fault is reported for the name as spelled (contract/uploads.md#format). */
export function readHeader(columns: readonly Column[], names: readonly string[], faults: FaultList): Header {
  if (names.some((name) => name.includes("\r"))) faults.add(wholeFile, lineEnds);
  const known = new Map(columns.map((column) => [column.name, column]));
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);

  let unknown = 0;
  for (const [name, count] of times) {
    if (!known.has(name) && ++unknown > maxUnknown) continue;
    if (!known.has(name)) faults.add(inReason(name), faultOfUnknown(name, known));
    if (count > 1) faults.add(inReason(name), `stands ${count} times in the header: once is enough`);
  }
  if (unknown > maxUnknown) {
    faults.add(wholeFile, `the header has ${unknown - maxUnknown} more columns that this upload does not know`);
  }
  for (const column of known.values()) {
    if (isRequired(column) && !times.has(column.name)) faults.add(column.name, "is a required column and is missing");
  }
  return names.map((name) => known.get(name) ?? null);
}

function faultOfUnknown(name: string, known: ReadonlyMap<string, Column>): string {
  if (name === "") return "a column has no name";
  const lowerCase = name.trim().toLowerCase();
  if (!known.has(lowerCase)) return "is not a column of this upload";
  return name.trim() === name
    ? `must be written ${lowerCase}, in lower case`
    : `must be written ${lowerCase}, without white space around it`;
}

/** A name as spelled, cut to the maximum length of a value; U+0000, which cannot be stored, is replaced. */
function inReason(name: string): string {
  const spelled = name.replaceAll("\0", "\uFFFD");
  return spelled.length <= maxValueLength
    ? spelled
    : `${[...spelled.slice(0, 2 * maxValueLength)].slice(0, maxValueLength).join("")}…`;
}
