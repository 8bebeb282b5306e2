export const minuteMs = 60_000;
export const quarterHourMs = 15 * minuteMs;
export const hourMs = 60 * minuteMs;
/** 24 hours; days of a time zone can be shorter or longer. */
export const dayMs = 24 * hourMs;
const maxAheadMs = 10 * minuteMs;

const isoWithOffset =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(0\d|1[0-4]):?([0-5]\d)?)$/;

export type InstantFault = "INVALID_TIMESTAMP" | "TIMESTAMP_IN_FUTURE" | "TIMESTAMP_TOO_OLD";

/**
 * The time of a reported event (contract/ingest.md#timestamps) in epoch milliseconds, or its fault: it must be at most
 * 10 minutes after `now` and at most `maxDaysBack` times 24 hours before it.
 */
export function reportedInstant(sent: string | number, now: number, maxDaysBack: number): number | InstantFault {
  const instant = typeof sent === "number" ? sent : instantOf(sent);
  if (instant === null || !Number.isSafeInteger(instant)) return "INVALID_TIMESTAMP";
  if (instant > now + maxAheadMs) return "TIMESTAMP_IN_FUTURE";
  return instant < now - maxDaysBack * dayMs ? "TIMESTAMP_TOO_OLD" : instant;
}

/** Epoch milliseconds, rounded down, of an ISO 8601 text with an offset; null for any other text and invalid dates. */
export function instantOf(text: string): number | null {
  const parts = isoWithOffset.exec(text);
  if (parts === null) return null;
  const [, year, month, date, hours, minutes, seconds = "0", fraction = "", sign, offsetHours, offsetMinutes] = parts;
  const monthIndex = Number(month) - 1;
  const midnight = Date.UTC(Number(year), monthIndex, Number(date));
  const day = new Date(midnight);
  if (day.getUTCMonth() !== monthIndex || day.getUTCDate() !== Number(date) || Number(year) < 100) return null;
  const ahead = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * (sign === "-" ? -minuteMs : minuteMs);
  const local = (Number(hours) * 60 + Number(minutes)) * minuteMs + Number(seconds) * 1_000;
  return midnight + local + Number(fraction.padEnd(3, "0").slice(0, 3)) - ahead;
}
