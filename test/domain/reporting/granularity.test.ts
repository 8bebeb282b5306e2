import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  beginningOf,
  blockStart,
  type Granularity,
  granularities,
  intervalsBegun,
  lastInterval,
  type Moment,
  returnDates,
  unitsBetween,
} from "../../../domain/reporting/granularity.ts";
import { addDays, addMonths, startOfDay } from "../../../domain/values/local-time.ts";
import { unitsBetweenMoments } from "../../examples/intervals.ts";

const zone = "Europe/Berlin";
const at = (text: string): Moment => ({ date: text.slice(0, 10), instant: Date.parse(text) });

const units = suite("whole units between two moments");

for (const [granularity, from, to, expected] of unitsBetweenMoments) {
  units(`${granularity}: ${from} to ${to}`, () => {
    assert.is(unitsBetween(granularity, at(from), at(to)), expected);
  });
}

const blocks = suite("blocks of a range");

blocks("begin at the start of a day, or so many hours and minutes after the first", () => {
  const day = (date: string) => beginningOf(date, zone);
  assert.equal(blockStart("day", "2026-03-28", 1, zone), day("2026-03-29"));
  assert.equal(blockStart("week", "2026-03-28", 2, zone), day("2026-04-11"));
  assert.equal(blockStart("month", "2026-01-31", 1, zone), day("2026-02-28"));
  assert.equal(blockStart("month", "2026-01-31", 2, zone), day("2026-03-31"));
  // The clocks go from 2 to 3 that night: the 24th hour begins the next day.
  const midnight = startOfDay(zone, "2026-03-29");
  assert.equal(blockStart("hour", "2026-03-29", 23, zone).instant, startOfDay(zone, "2026-03-30"));
  assert.equal(blockStart("minute", "2026-03-29", 90, zone).instant, midnight + 90 * 60_000);
});

blocks("are at most so many intervals old", () => {
  const start = at("2026-01-01T00:00:00Z");
  const begun = (granularity: Granularity, now: string) => intervalsBegun(granularity, start, at(now));
  assert.equal(
    [
      "2025-12-31T00:00:00Z",
      "2026-01-01T00:00:00Z",
      "2026-07-03T00:00:00Z",
      "2026-07-04T00:00:00Z",
      "2027-01-01T00:00:00Z",
    ].map((now) => begun("day", now)),
    [0, 1, 184, 185, 185],
  );
  assert.equal(
    (["week", "month", "hour", "minute"] as const).map((granularity) => begun(granularity, "2028-01-01T00:00:00Z")),
    [28, 14, 169, 181],
  );
});

blocks("of months keep to the day, clamped at the month's end", () => {
  assert.equal(
    [-1, 0, 1, 2, 13].map((months) => addMonths("2026-01-31", months)),
    ["2025-12-31", "2026-01-31", "2026-02-28", "2026-03-31", "2027-02-28"],
  );
});

const returns = suite("the dates of returns");

const range = { from: "2026-03-01", to: "2026-03-28" };

returns("last until the last interval of the last start has ended", () => {
  // The next day has 23 hours.
  const lastStart = { date: range.to, instant: startOfDay(zone, "2026-03-29") - 1 };
  for (const granularity of granularities) {
    const { from, to } = returnDates({ granularity, ...range }, at("2028-01-01T00:00:00Z"));
    const intervals = unitsBetween(granularity, lastStart, beginningOf(addDays(to, 1), zone));
    assert.equal([granularity, from, intervals > lastInterval[granularity]], [granularity, range.from, true]);
  }
});

returns("last until now at most", () => {
  const until = (now: string) => returnDates({ granularity: "week", ...range }, at(now));
  assert.equal(until("2026-04-01T12:00:00Z"), { from: range.from, to: "2026-04-01" });
});

units.run();
blocks.run();
returns.run();
