import type { ReadCell } from "./cell.ts";

const zero = 0x30;
const nine = 0x39;
const minus = 0x2d;
const point = 0x2e;

const grouped = { code: "cell.commas" };
/** The comma may be the decimal separator: without it, 12,50 would become 1250. */
const decimalWithCommas = { code: "cell.commas_in_decimal" };
const notWhole = { code: "cell.not_a_whole_number" };
const tooGreat = { code: "cell.too_great", params: { limit: Number.MAX_SAFE_INTEGER } };
const notDecimal = { code: "cell.not_a_decimal" };
const notSignedDecimal = { code: "cell.not_a_signed_decimal" };
const negative = { code: "cell.negative" };
const tooPrecise = { code: "cell.too_precise" };

/** A whole number, 0 to 2^53 - 1 (contract/uploads.md#values). Leading zeros are ignored. */
export const readWholeNumber: ReadCell = (text) => {
  let value = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < zero || code > nine) return text.includes(",") ? grouped : notWhole;
    value = value * 10 + (code - zero);
  }
  // Every step is exact up to 2^53 - 1, and beyond it the value only grows.
  return value <= Number.MAX_SAFE_INTEGER ? value : tooGreat;
};

/**
 * An amount of 0 or more with at most 6 decimals, stored as spelled (contract/uploads.md#values,
 * contract/money.md#conversion).
 */
export const readCost: ReadCell = (text) => {
  const decimals = decimalsOf(text, 0);
  if (decimals > 6) return tooPrecise;
  if (decimals !== notPlain) return text;
  if (text.includes(",")) return decimalWithCommas;
  return text.charCodeAt(0) === minus && decimalsOf(text, 1) !== notPlain ? negative : notDecimal;
};

/** Any finite decimal, stored as spelled (contract/uploads.md#values). */
export const readEventValue: ReadCell = (text) => {
  if (decimalsOf(text, text.charCodeAt(0) === minus ? 1 : 0) !== notPlain) return text;
  return text.includes(",") ? decimalWithCommas : notSignedDecimal;
};

const notPlain = -1;

/**
 * The number of decimals of a text in plain decimal notation (contract/uploads.md#values), from an index on; `notPlain`
 * for any other text, such as `1e3`, `+1`, `.5` or `1.`.
 */
function decimalsOf(text: string, from: number): number {
  let pointAt = -1;
  for (let index = from; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === point) {
      if (pointAt !== -1 || index === from) return notPlain;
      pointAt = index;
    } else if (code < zero || code > nine) return notPlain;
  }
  if (text.length === from || pointAt === text.length - 1) return notPlain;
  return pointAt === -1 ? 0 : text.length - pointAt - 1;
}
