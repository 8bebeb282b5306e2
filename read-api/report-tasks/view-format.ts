/** The value of a masked cell as text that marks it as a lower bound (contract/reports.md#masking). */
export function lowerBound(value: string | null): string {
  return `${value ?? "0"}+`;
}
