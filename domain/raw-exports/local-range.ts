import { isLocalDate, zoneOffset } from "../values/local-time.ts";

/** Time zones change their clocks at quarter hours (`local-time.ts`). */
const quarterHour = 15 * 60 * 1000;
const oneSecond = 1000;
/** No clock is further from UTC. */
const furthest = 15 * 60 * 60 * 1000;

/** Whether a text is a real date and time of the day, `YYYY-MM-DD HH:MM:SS`, in some time zone. */
export function isLocalDateTime(text: string): boolean {
  const [date = "", time = ""] = text.split(" ");
  return text.length === 19 && isLocalDate(date) && /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(time);
}

/** A local date and time as if its clock were that of UTC, epoch milliseconds: for comparing two of one clock. */
export function wallClock(text: string): number {
  return Date.parse(`${text.replace(" ", "T")}Z`);
}

/**
 * The instants of a range on the clocks of a time zone, both ends inclusive to the second: `from` inclusive, `before`
 * exclusive, epoch milliseconds. An end that the clocks show twice takes both in; one that they skip is where they
 * jump to, or from.
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
  let last = firstQuarter(endClock + 2 * furthest);
  while (last + zoneOffset(timezone, last) >= endClock) last -= quarterHour;
  return {
    from: Math.max(from, startClock - zoneOffset(timezone, from)),
    before: Math.min(last + quarterHour, endClock - zoneOffset(timezone, last)),
  };
}

/** The start of a quarter hour at or before the earliest instant at which some clock shows that. */
function firstQuarter(clock: number): number {
  return Math.floor((clock - furthest) / quarterHour) * quarterHour;
}

/** An offset from UTC in milliseconds, and the instant from which a zone's clocks have it. */
export interface ZoneOffset {
  readonly from: number;
  readonly offset: number;
}

/** The offsets of a time zone between two instants, in order; the first holds from `from` on. */
export function offsetsBetween(timezone: string, from: number, to: number): readonly ZoneOffset[] {
  const found: ZoneOffset[] = [{ from, offset: zoneOffset(timezone, from) }];
  for (let quarter = Math.ceil(from / quarterHour) * quarterHour; quarter <= to; quarter += quarterHour) {
    const offset = zoneOffset(timezone, quarter);
    if (offset !== found.at(-1)?.offset) found.push({ from: quarter, offset });
  }
  return found;
}
