import type { ChannelProfile } from "../../channels/events.ts";
import type { Message } from "../../fault.ts";
import type { LocalDate } from "../../values/local-time.ts";
import { isLongerThan, isWellFormedText } from "../../values/text.ts";

/** The value of a cell as rows store it. */
export type CellValue = string | number | boolean;

/** Why a cell is refused; the row and the column are known to whoever reads it. */
export type CellFault = Message;

/**
 * Reads a cell of one column, or returns its fault. The text is not empty, is trimmed and has at most `maxValueLength` code
 * points.
 */
export type ReadCell = (text: string, rules: UploadRules) => CellValue | CellFault;

/** The data that reading a cell depends on. */
export interface UploadRules {
  /** Allowed dates, both inclusive. */
  readonly dates: { readonly from: LocalDate; readonly to: LocalDate };
  /** Whether an upper-case code is in ISO 4217. */
  isCurrency(code: string): boolean;
  /** Whether an upper-case code is in ISO 3166. */
  isCountryCode(code: string): boolean;
  /** Whether a registered or custom channel can have the name (contract/administration.md#channels). */
  isChannelName(name: string): boolean;
  /** Whether reports use the name for something else (contract/administration.md#channels). */
  isReservedChannel(name: string): boolean;
  /** The channel registered under exactly that name. */
  channelNamed(name: string): ChannelProfile | null;
  /** The registered channel with that display name. */
  channelShownAs(displayName: string): ChannelProfile | null;
  /** Whether the actuals report has a metric under that key (contract/reports.md#metrics). */
  isReportMetric(key: string): boolean;
}

export function isCellFault(read: CellValue | CellFault | undefined): read is CellFault {
  return typeof read === "object";
}

/** Maximum code points of a column's name or value (contract/uploads.md#values). */
export const maxValueLength = 256;

const outerSpace = { code: "cell.white_space" };
const tooLong = { code: "cell.too_long", params: { limit: maxValueLength } };
const illegalText = { code: "cell.illegal_text" };

/** The rules for cells of every column (contract/uploads.md#limits, contract/http.md#text); null when none is broken. */
export function faultOfAnyCell(text: string): CellFault | null {
  if (isSpaceAt(text, 0) || isSpaceAt(text, text.length - 1)) return outerSpace;
  if (isLongerThan(text, maxValueLength)) return tooLong;
  return isWellFormedText(text) ? null : illegalText;
}

/** Faster than comparing with `trim()`: called twice for every cell of a file. */
function isSpaceAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (code <= 0x7f) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return text.charAt(index).trim() === "";
}
