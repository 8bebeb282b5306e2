import { isLocalDate, zoneOffset } from "../values/local-time.ts";

/** Offsets change at quarter hours (`local-time.ts`). */
const quarterHour = 15 * 60 * 1000;
const oneSecond = 1000;
/** Maximum offset of a time zone from UTC. */
const maxOffset = 15 * 60 * 60 * 1000;

/** Whether a text is a real date and time of the day, `YYYY-MM-DD HH:MM:SS`, in some time zone. */
export function isLocalDateTime(text: string): boolean {
  const [date = "", time = ""] = text.split(" ");
  return text.length === 19 && isLocalDate(date) && /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(time);
}

/** A local date and time read as UTC, epoch milliseconds: for comparing local times of one zone. */
export function wallClock(text: string): number {
  return Date.parse(`${text.replace(" ", "T")}Z`);
}

/**
 * The instants of a range of local times, both ends inclusive to the second: `from` inclusive, `before` exclusive, epoch
 * milliseconds. A repeated local time is contained twice; a skipped one is the instant of the skip.
 * @param start and `end`: real ones (`isLocalDateTime`)
 */
export function instantsOf(
  timezone: string,
  start: string,
  end: string,
): { readonly from: number; readonly before: number } {
  const startClock = wallClock(start);
  const endClock = wallClock(end) + oneSecond;
  let from = firstQuarter(startClock);
  while (from + quarterHour + zoneOffset(timezone, from) <= startClock) from += quarterHour;
  let last = firstQuarter(endClock + 2 * maxOffset);
  while (last + zoneOffset(timezone, last) >= endClock) last -= quarterHour;
  return {
    from: Math.max(from, startClock - zoneOffset(timezone, from)),
    before: Math.min(last + quarterHour, endClock - zoneOffset(timezone, last)),
  };
}

/** The start of a quarter hour at or before the earliest instant with that local time in any zone. */
function firstQuarter(clock: number): number {
  return Math.floor((clock - maxOffset) / quarterHour) * quarterHour;
}

/** An offset of a time zone from UTC in milliseconds, and the instant from which it applies. */
export interface ZoneOffset {
  readonly from: number;
  readonly offset: number;
}

/** The offsets of a time zone between two instants, in order; the first applies from `from` on. */
export function offsetsBetween(timezone: string, from: number, to: number): readonly ZoneOffset[] {
  const found: ZoneOffset[] = [{ from, offset: zoneOffset(timezone, from) }];
  for (let quarter = Math.ceil(from / quarterHour) * quarterHour; quarter <= to; quarter += quarterHour) {
    const offset = zoneOffset(timezone, quarter);
    if (offset !== found.at(-1)?.offset) found.push({ from: quarter, offset });
  }
  return found;
}
