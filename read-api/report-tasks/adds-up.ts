import type { ExplainedPart } from "../../projections/reports/explain/explanation.ts";
import type { FoundCell } from "./cell-address.ts";

/**
 * Whether the parts of an explanation give the value of their cell, but for the rounding of doubles
 * (contract/reports.md#lineage): facts can have been applied since.
 */
export function addsUp({ value, times }: Pick<FoundCell, "value" | "times">, parts: readonly ExplainedPart[]): boolean {
  if (value === null) return true;
  const [sum = 0, per = 1] = parts.map((part) => Number(part.sum));
  const computed = (sum / per) * (times ?? 1);
  return computed === Number(value) || Math.abs(computed - Number(value)) <= 1e-9 * Math.abs(computed);
}
