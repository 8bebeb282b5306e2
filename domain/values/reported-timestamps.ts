import { dayMs, instantOf, minuteMs } from "./instants.ts";

/** How far back what is reported may lie, in days of 24 hours (contract/ingest.md#timestamps). */
export const maxDaysBack = {
  /** An app event of a device. */
  device: 31,
  /** An app event or a touchpoint that an owner sends later. */
  owner: 800,
  /** A click that a partner's server reports (contract/tracking-links.md#partner-calls). */
  partner: 1,
} as const;

/** How far the clock of a sender may be ahead. */
const maxAheadMs = 10 * minuteMs;

export type TimestampFault = "INVALID_TIMESTAMP" | "TIMESTAMP_IN_FUTURE" | "TIMESTAMP_TOO_OLD";

/**
 * The time of a reported event in epoch milliseconds, or its fault: it must be at most 10 minutes after `now` and at most
 * `maxDays` times 24 hours before it (contract/ingest.md#timestamps).
 */
export function reportedInstant(sent: string | number, now: number, maxDays: number): number | TimestampFault {
  const instant = typeof sent === "number" ? sent : instantOf(sent);
  if (instant === null || !Number.isSafeInteger(instant)) return "INVALID_TIMESTAMP";
  if (instant > now + maxAheadMs) return "TIMESTAMP_IN_FUTURE";
  return instant < now - maxDays * dayMs ? "TIMESTAMP_TOO_OLD" : instant;
}
