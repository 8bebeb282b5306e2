import { fault, type Message } from "../fault.ts";
import { nearestName } from "../values/nearest-name.ts";
import { firstCharacters } from "../values/text.ts";
import { maxValueLength } from "./cells/cell.ts";
import type { FaultList } from "./fault-list.ts";
import { isRequired } from "./kinds/columns.ts";
import type { Column } from "./kinds/upload-module.ts";

/** The columns of a file in their order; null for names that the kind of upload does not have. */
export type Header = readonly (Column | null)[];

/** Maximum unknown columns in a reason: the data of an event is limited in size. */
const maxUnknown = 100;

/**
 * Reads the names of a file's columns. Each fault is reported for the name as spelled (contract/uploads.md#format). Null
 * when the file is not separated by commas, which is its only fault then.
 */
export function readHeader(columns: readonly Column[], names: readonly string[], faults: FaultList): Header | null {
  const separator = wrongSeparator(columns, names);
  if (separator !== null) {
    faults.add(fault("file.wrong_separator", [], { separator }));
    return null;
  }
  if (names.some((name) => name.includes("\r"))) faults.add(fault("file.line_ends", []));
  const known = new Map(columns.map((column) => [column.name, column]));
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  const absent = [...known.keys()].filter((name) => !times.has(name));

  let unknown = 0;
  for (const [name, count] of times) {
    if (!known.has(name) && ++unknown > maxUnknown) continue;
    const path = [inReason(name)];
    if (!known.has(name)) faults.add({ ...faultOfUnknown(name, known, absent), path });
    if (count > 1) faults.add(fault("column.repeated", path, { count }));
  }
  if (unknown > maxUnknown) faults.add(fault("column.more_unknown", [], { count: unknown - maxUnknown }));
  for (const column of known.values()) {
    if (isRequired(column) && !times.has(column.name)) faults.add(fault("column.missing", [column.name]));
  }
  return names.map((name) => known.get(name) ?? null);
}

/** The separator of a header that is one name; null when it is none of those that spreadsheets write. */
function wrongSeparator(columns: readonly Column[], [line = "", ...others]: readonly string[]): string | null {
  const isColumn = (name: string) => columns.some((column) => column.name === name.trim().toLowerCase());
  const separates = (character: string): boolean =>
    line === `sep=${character}` || (line.includes(character) && line.split(character, 100).some(isColumn));
  if (others.length > 0) return null;
  return separates(";") ? "semicolon" : separates("\t") ? "tab" : null;
}

/** @param absent known names that the header does not have, as suggestions */
function faultOfUnknown(name: string, known: ReadonlyMap<string, Column>, absent: readonly string[]): Message {
  if (name === "") return { code: "column.unnamed" };
  const lowerCase = name.trim().toLowerCase();
  if (!known.has(lowerCase)) {
    const nearest = nearestName(lowerCase, absent);
    return nearest === null ? { code: "column.unknown" } : { code: "column.unknown.nearest", params: { nearest } };
  }
  const code = name.trim() === name ? "column.not_lower_case" : "column.white_space";
  return { code, params: { name: lowerCase } };
}

/** A name as spelled, cut to the maximum length of a value; U+0000, which cannot be stored, is replaced. */
function inReason(name: string): string {
  const spelled = name.replaceAll("\0", "\uFFFD");
  const first = firstCharacters(spelled, maxValueLength);
  return first === spelled ? spelled : `${first}…`;
}
