import { isWellFormedText } from "../values/text.ts";
import { longestValue } from "./upload-limits.ts";
import type { UploadRules } from "./upload-rules.ts";

/** A cell's value as rows keep it. */
export type CellValue = string | number | boolean;

/** Why a cell has none, in words for the person who wrote the file. */
export interface CellFault {
  readonly fault: string;
}

/** Reads one column's cell; the text is not empty, has no outer white space and at most 256 code points. */
export type ReadCell = (text: string, rules: UploadRules) => CellValue | CellFault;

export function isFault(read: CellValue | CellFault | undefined): read is CellFault {
  return typeof read === "object";
}

export function cellFault(fault: string): CellFault {
  return { fault };
}

const outerSpace = cellFault("must not begin or end with white space");
const tooLong = cellFault(`must have at most ${longestValue} characters`);
const notStorable = cellFault("must not hold the character U+0000 or half a character");

/**
 * What holds for the cells of every column (contract/uploads.md#limits, contract/http.md#text); null when nothing is
 * wrong.
 */
export function faultOfAnyCell(text: string): CellFault | null {
  if (isSpaceAt(text, 0) || isSpaceAt(text, text.length - 1)) return outerSpace;
  if (text.length > longestValue && !isWithin(text, longestValue)) return tooLong;
  return isWellFormedText(text) ? null : notStorable;
}

/** Character by character, as this is done for every cell of a file. */
function isSpaceAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (code <= 0x7f) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return text.charAt(index).trim() === "";
}

/** Whether a text has at most so many code points: no more are counted, whatever its length. */
function isWithin(text: string, most: number): boolean {
  if (text.length > 2 * most) return false;
  return [...text].length <= most;
}
