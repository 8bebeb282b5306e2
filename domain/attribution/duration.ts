const secondsOf: { readonly [unit: string]: number } = { m: 60, h: 3_600, d: 86_400 };
const shape = /^(\d{1,5})([mhd])$/;

/** The longest lookback window (contract/administration.md#attribution-rules). */
export const maxLookbackSeconds = 30 * 86_400;

/**
 * Seconds of a duration in the format of rules (contract/administration.md#attribution-rules): whole minutes, hours or
 * days such as `90m`, `24h`, `7d`, from 0 to 30 days. Null for any other text.
 */
export function durationSeconds(text: string): number | null {
  const [, count, unit] = shape.exec(text) ?? [];
  if (count === undefined || unit === undefined) return null;
  const seconds = Number(count) * (secondsOf[unit] ?? 0);
  return seconds <= maxLookbackSeconds ? seconds : null;
}

/** A duration of whole minutes, in the largest unit that it is a multiple of; one day is `24h`. */
export function durationText(seconds: number): string {
  const { h = 1, d = 1 } = secondsOf;
  if (seconds > d && seconds % d === 0) return `${seconds / d}d`;
  return seconds % h === 0 ? `${seconds / h}h` : `${seconds / 60}m`;
}
