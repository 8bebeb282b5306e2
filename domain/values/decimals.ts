/** A decimal number with every digit: `units` of 10 to the power of `-scale`. */
export interface ExactDecimal {
  readonly units: bigint;
  readonly scale: number;
}

export const zero: ExactDecimal = { units: 0n, scale: 0 };

/** Parses a plain decimal text, such as a `numeric` of Postgres: `-12.50`. */
export function exactDecimal(text: string): ExactDecimal {
  const point = text.indexOf(".");
  if (point < 0) return { units: BigInt(text), scale: 0 };
  return { units: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 };
}

export function plus(one: ExactDecimal, other: ExactDecimal): ExactDecimal {
  const scale = Math.max(one.scale, other.scale);
  return { units: unitsAt(one, scale) + unitsAt(other, scale), scale };
}

export function minus(one: ExactDecimal, other: ExactDecimal): ExactDecimal {
  return plus(one, { units: -other.units, scale: other.scale });
}

/** A JSON number literal without trailing zeros: `-12.5`. */
export function decimalTextOf({ units, scale }: ExactDecimal): string {
  const digits = String(magnitude(units)).padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/**
 * The double nearest to a quotient, as a JSON number literal; null for a division by 0. Above the largest double it
 * is the integer part, below 1e-303 it is 0.
 */
export function quotientText(one: ExactDecimal, other: ExactDecimal): string | null {
  if (other.units === 0n) return null;
  const scale = Math.max(one.scale, other.scale);
  const dividend = unitsAt(one, scale);
  const divisor = unitsAt(other, scale);
  const nearest = nearestDouble(dividend, divisor);
  return Number.isFinite(nearest) ? decimalText(nearest) : String(dividend / divisor);
}

/** Bits of a quotient before it is rounded: some more than a double has. */
const quotientBits = 66;

/** Rounded once: the last bit is set when more would follow, so that nothing below it is taken for a tie. */
function nearestDouble(dividend: bigint, divisor: bigint): number {
  const shift = quotientBits + bitsOf(divisor) - bitsOf(dividend);
  const above = magnitude(dividend) << BigInt(Math.max(0, shift));
  const below = magnitude(divisor) << BigInt(Math.max(0, -shift));
  const bits = (above / below) | (above % below === 0n ? 0n : 1n);
  const isNegative = dividend < 0n !== divisor < 0n;
  return Number(isNegative ? -bits : bits) * 2 ** -shift;
}

function magnitude(units: bigint): bigint {
  return units < 0n ? -units : units;
}

/** The number of bits, rounded up to a multiple of 4. */
function bitsOf(units: bigint): number {
  return magnitude(units).toString(16).length * 4;
}

function unitsAt({ units, scale }: ExactDecimal, wanted: number): bigint {
  return units === 0n || scale === wanted ? units : units * powerOfTen(wanted - scale);
}

/** Precomputed powers of 10: nearly every sum of amounts of different scales needs one. */
const powersOfTen = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));

function powerOfTen(exponent: number): bigint {
  return powersOfTen[exponent] ?? 10n ** BigInt(exponent);
}

/**
 * The shortest decimal text that reads back as the same number, without an exponent: `1e21` is
 * `1000000000000000000000`, `-0` is `0`.
 * @throws {RangeError} for NaN and infinities
 */
export function decimalText(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError("Only a finite number has a decimal text");
  const text = String(value);
  const exponentAt = text.indexOf("e");
  if (exponentAt === -1) return text;

  const sign = text.startsWith("-") ? "-" : "";
  const [whole = "", fraction = ""] = text.slice(sign.length, exponentAt).split(".");
  const digits = whole + fraction;
  const point = whole.length + Number(text.slice(exponentAt + 1));
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, "0");
}
