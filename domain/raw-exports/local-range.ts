import { hourMs, quarterHourMs } from "../values/instants.ts";
import { isLocalDate, zoneOffset } from "../values/local-time.ts";

const oneSecond = 1000;
/** Maximum offset of a time zone from UTC. */
const maxOffset = 15 * hourMs;

/** Whether a text is a real date and time of the day, `YYYY-MM-DD HH:MM:SS`, in some time zone. */
export function isLocalDateTime(text: string): boolean {
  const [date = "", time = ""] = text.split(" ");
  return text.length === 19 && isLocalDate(date) && /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(time);
}

/** A local date and time read as UTC, epoch milliseconds: for comparing local times of one zone. */
export function wallClock(text: string): number {
  return Date.parse(`${text.replace(" ", "T")}Z`);
}

/** Instants in epoch milliseconds: `from` inclusive, `before` exclusive. */
export interface InstantRange {
  readonly from: number;
  readonly before: number;
}

/**
 * The instants whose local time is in a range, both ends inclusive to the second, in order. A local time that is repeated
 * when clocks go back is in the range twice: a range that begins or ends among such times has two ranges of instants. A
 * skipped local time is no instant: a range of skipped times has none.
 * @param start and `end`: real ones (`isLocalDateTime`)
 */
export function instantRanges(timezone: string, start: string, end: string): readonly InstantRange[] {
  const startClock = wallClock(start);
  const endClock = wallClock(end) + oneSecond;
  const last = endClock + maxOffset;
  const offsets = offsetsBetween(timezone, startClock - maxOffset, last);
  const found: InstantRange[] = [];
  for (const [index, { from: since, offset }] of offsets.entries()) {
    const from = Math.max(since, startClock - offset);
    const before = Math.min(offsets[index + 1]?.from ?? last, endClock - offset);
    if (from >= before) continue;
    const adjoining = found.at(-1)?.before === from ? found.pop() : undefined;
    found.push({ from: adjoining?.from ?? from, before });
  }
  return found;
}

/** An offset of a time zone from UTC in milliseconds, and the instant from which it applies. */
export interface ZoneOffset {
  readonly from: number;
  readonly offset: number;
}

/** The offsets of a time zone between two instants, in order; the first applies from `from` on. */
export function offsetsBetween(timezone: string, from: number, to: number): readonly ZoneOffset[] {
  const found: ZoneOffset[] = [{ from, offset: zoneOffset(timezone, from) }];
  for (let quarter = Math.ceil(from / quarterHourMs) * quarterHourMs; quarter <= to; quarter += quarterHourMs) {
    const offset = zoneOffset(timezone, quarter);
    if (offset !== found.at(-1)?.offset) found.push({ from: quarter, offset });
  }
  return found;
}
