import { cellFault, type ReadCell } from "./cell.ts";

const zero = 0x30;
const nine = 0x39;
const minus = 0x2d;
const point = 0x2e;

const grouped = cellFault("must be written without commas");
const notWhole = cellFault("must be a whole number of 0 or more in digits alone");
const tooGreat = cellFault(`must be at most ${Number.MAX_SAFE_INTEGER}`);
const notDecimal = cellFault("must be a decimal number such as 12.34: no sign, exponent, currency or space");
const notSignedDecimal = cellFault("must be a decimal number such as 12.34 or -0.5: no plus sign, exponent or space");
const negative = cellFault("must be 0 or more");
const tooPrecise = cellFault("must have at most 6 decimals");

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
  if (text.includes(",")) return grouped;
  return text.charCodeAt(0) === minus && decimalsOf(text, 1) !== notPlain ? negative : notDecimal;
};

/** Any finite decimal, stored as spelled (contract/uploads.md#values). */
export const readEventValue: ReadCell = (text) => {
  if (decimalsOf(text, text.charCodeAt(0) === minus ? 1 : 0) !== notPlain) return text;
  return text.includes(",") ? grouped : notSignedDecimal;
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
