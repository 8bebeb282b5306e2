/**
 * The shortest decimal text that reads back as the same number, without an exponent: `1e21` is
 * `1000000000000000000000`, `-0` is `0`. Throws a RangeError for what is not finite.
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
