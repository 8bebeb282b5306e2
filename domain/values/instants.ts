export const minuteMs = 60_000;
export const quarterHourMs = 15 * minuteMs;
export const hourMs = 60 * minuteMs;
/** 24 hours; days of a time zone can be shorter or longer. */
export const dayMs = 24 * hourMs;

const isoWithOffset =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(0\d|1[0-4]):?([0-5]\d)?)$/;

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
