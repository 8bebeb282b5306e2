/** Largest amount of a range. With 6 decimals it has 16 digits at most, which a double keeps exactly. */
export const maxAmount = 1_000_000_000;
const decimals = 6;

const shape = /^(\d{1,10})(?:\.(\d{1,6}))?$/;

/** An amount in millionths; null unless it is 0 to {@link maxAmount} with at most 6 decimals. */
export function millionths(amount: string): number | null {
  const [, whole, fraction = ""] = shape.exec(amount) ?? [];
  if (whole === undefined) return null;
  const value = Number(whole) * 10 ** decimals + Number(fraction.padEnd(decimals, "0"));
  return value <= maxAmount * 10 ** decimals ? value : null;
}
