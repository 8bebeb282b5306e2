/** How long to wait before attempt `attempt` (from 1) of something that keeps failing: doubling, at most `maxMs`. */
export function backoffMs(attempt: number, firstMs: number, maxMs: number): number {
  return Math.min(maxMs, firstMs * 2 ** (attempt - 1));
}
