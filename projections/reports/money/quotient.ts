/**
 * Decimals of a quotient. Few enough for equal quotients to be equal: Postgres computes them with scales that depend on
 * the operands. Enough for the cost of a millionth divided by a billion.
 */
const places = 30;
const exactly = `1.${"0".repeat(places + 6)}`;

/** SQL of a quotient of `numeric` values, rounded so that equal quotients sort as equals; null if the divisor is 0. */
export function quotient(dividend: string, divisor: string): string {
  return `round((${dividend}) * ${exactly} / nullif(${divisor}, 0), ${places})`;
}
