import fc from "fast-check";
import { IANAZone } from "luxon";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type InstantRange,
  instantRanges,
  isLocalDateTime,
  offsetsBetween,
  wallClock,
} from "../../../domain/raw-exports/local-range.ts";

const minute = 60_000;
const hour = 60 * minute;

/** With and without daylight saving, at half hours, changes at midnight, the offsets furthest from UTC. */
const zones = [
  ...["Asia/Seoul", "UTC", "Asia/Kolkata", "Asia/Kathmandu", "Pacific/Kiritimati", "Etc/GMT+12"],
  ...["America/New_York", "Europe/Berlin", "America/Santiago", "Africa/Cairo", "Asia/Beirut", "Africa/Casablanca"],
  ...["Australia/Lord_Howe", "Pacific/Chatham", "America/St_Johns", "Europe/Dublin"],
];
/** Milliseconds that a zone's clocks are ahead of UTC, by luxon. */
const aheadBy = (zone: string) => {
  const known = IANAZone.create(zone);
  return (instant: number): number => known.offset(instant) * minute;
};
const clockText = (clock: number): string => new Date(clock).toISOString().slice(0, 19).replace("T", " ");

const any2026 = fc.integer({ min: Date.UTC(2026, 0, 1) / 1_000, max: Date.UTC(2027, 0, 1) / 1_000 });
/** The changes of a zone's clocks in 2026, as they show them before and after. */
const changesOf = (zone: string): readonly number[] => {
  const offset = aheadBy(zone);
  const found: number[] = [];
  for (let day = Date.UTC(2026, 0, 1); day < Date.UTC(2027, 0, 1); day += 24 * hour) {
    let [same, other] = [day, day + 24 * hour];
    if (offset(same) === offset(other)) continue;
    while (other - same > minute) {
      const middle = (same + other) / 2;
      if (offset(middle) === offset(same)) same = middle;
      else other = middle;
    }
    const change = Math.floor(other / minute) * minute;
    found.push(change + offset(change - 1), change + offset(change));
  }
  return found;
};
const zonesWithChanges = zones.map((zone) => ({ zone, changes: changesOf(zone) }));
const changesBy = new Map(zonesWithChanges.map(({ zone, changes }) => [zone, changes]));
/** A zone and a clock in whole seconds, most of them within two hours of a change where there is one. */
const anyClock = fc.constantFrom(...zonesWithChanges).chain(({ zone, changes }) => {
  const near = changes.map((change) =>
    fc.integer({ min: -7_200, max: 7_200 }).map((seconds) => change / 1_000 + seconds),
  );
  return fc.record({ zone: fc.constant(zone), clock: fc.oneof(any2026, ...near).map((seconds) => seconds * 1_000) });
});

const local = suite("a range of local times");

local("has the instants whose local time luxon finds in it, in any zone and through any change", () => {
  const length = fc.oneof(fc.integer({ min: 0, max: 7_200 }), fc.integer({ min: 0, max: 31 * 86_400 }));
  const near = fc.integer({ min: -3 * hour, max: 3 * hour });
  fc.assert(
    fc.property(
      anyClock,
      length,
      fc.array(near, { minLength: 20, maxLength: 20 }),
      ({ zone, clock }, seconds, nears) => {
        const end = clock + seconds * 1_000;
        const intervals = instantRanges(zone, clockText(clock), clockText(end));
        const offset = aheadBy(zone);
        const edges = [clock, end, ...(changesBy.get(zone) ?? [])].map((shown) => shown - offset(shown));
        const bounds = intervals.flatMap(({ from, before }) => [from - 1, from, before - 1, before]);
        for (const instant of [...bounds, ...nears.map((ms, index) => ms + (edges[index % edges.length] ?? 0))]) {
          const shown = instant + offset(instant);
          const isIn = intervals.some(({ from, before }) => from <= instant && instant < before);
          assert.is(isIn, clock <= shown && shown < end + 1_000, `${zone} ${new Date(instant).toISOString()}`);
        }
      },
    ),
    { numRuns: 150 },
  );
});

local("is divided by any time of it into two ranges without a common instant", () => {
  const seconds = fc.integer({ min: 0, max: 10_000 });
  const instants = (intervals: readonly InstantRange[]) =>
    intervals.reduce((sum, { from, before }) => sum + before - from, 0);
  fc.assert(
    fc.property(anyClock, seconds, seconds, ({ zone, clock }, before, after) => {
      const [start, middle, next, end] = [clock - before * 1_000, clock, clock + 1_000, clock + 1_000 + after * 1_000];
      const range = (from: number, to: number) => instantRanges(zone, clockText(from), clockText(to));
      assert.is(instants(range(start, middle)) + instants(range(next, end)), instants(range(start, end)));
    }),
  );
});

/** Local times and the intervals of their instants, each `from/before`. */
for (const [zone, times, ...intervals] of [
  // Repeated times are contained twice.
  ["America/New_York", "2026-11-01 01:00:00/2026-11-01 01:59:59", "11-01T05:00/11-01T07:00"],
  ["America/New_York", "2026-11-01 00:00:00/2026-11-01 23:59:59", "11-01T04:00/11-02T05:00"],
  ["Australia/Lord_Howe", "2026-04-05 01:30:00/2026-04-05 01:59:59", "04-04T14:30/04-04T15:30"],
  // Some of the repeated times are two intervals.
  ["America/New_York", "2026-11-01 00:00:00/2026-11-01 01:29:59", "11-01T04:00/11-01T05:30", "11-01T06:00/11-01T06:30"],
  ["America/New_York", "2026-11-01 01:30:00/2026-11-01 23:59:59", "11-01T05:30/11-01T06:00", "11-01T06:30/11-02T05:00"],
  [
    ...["America/New_York", "2026-11-01 01:30:00/2026-11-01 01:30:00"],
    ...["11-01T05:30/11-01T05:30:01", "11-01T06:30/11-01T06:30:01"],
  ],
  // Skipped times contain nothing.
  ["America/New_York", "2026-03-08 02:00:00/2026-03-08 02:59:59"],
  ["America/New_York", "2026-03-08 02:30:00/2026-03-08 03:00:00", "03-08T07:00/03-08T07:00:01"],
  ["Australia/Lord_Howe", "2026-10-04 01:59:59/2026-10-04 02:15:00", "10-03T15:29:59/10-03T15:30"],
  // A date without midnight, and one with two.
  ["America/Santiago", "2026-09-06 00:00:00/2026-09-06 23:59:59", "09-06T04:00/09-07T03:00"],
  ["America/Santiago", "2026-09-05 00:00:00/2026-09-06 00:30:00", "09-05T04:00/09-06T04:00"],
  ["America/Santiago", "2026-04-04 23:00:00/2026-04-04 23:59:59", "04-05T02:00/04-05T04:00"],
  // Half and quarter hours from UTC.
  ["Asia/Kolkata", "2026-03-01 00:00:00/2026-03-01 23:59:59", "02-28T18:30/03-01T18:30"],
  ["Asia/Kathmandu", "2026-03-01 00:00:07/2026-03-01 00:00:07", "02-28T18:15:07/02-28T18:15:08"],
  // A date of 23, 25 and 23.5 hours.
  ["Europe/Berlin", "2026-03-29 00:00:00/2026-03-29 23:59:59", "03-28T23:00/03-29T22:00"],
  ["Europe/Berlin", "2026-10-25 00:00:00/2026-10-25 23:59:59", "10-24T22:00/10-25T23:00"],
  ["Australia/Lord_Howe", "2026-10-04 00:00:00/2026-10-04 23:59:59", "10-03T13:30/10-04T13:00"],
] as const) {
  local(`${times} in ${zone} is ${intervals.join(" and ") || "empty"} in UTC`, () => {
    const [start = "", end = ""] = times.split("/");
    const expected = intervals.map((interval) => {
      const [from = 0, before = 0] = interval.split("/").map((instant) => Date.parse(`2026-${instant}Z`));
      return { from, before };
    });
    assert.equal(instantRanges(zone, start, end), expected);
  });
}

local("accepts real dates and times in its format only", () => {
  fc.assert(
    fc.property(any2026, (seconds) => {
      const text = clockText(seconds * 1_000);
      assert.ok(isLocalDateTime(text));
      assert.is(wallClock(text), seconds * 1_000);
      assert.not.ok(isLocalDateTime(text.replace(" ", "T")));
      assert.not.ok(isLocalDateTime(text.slice(0, -1)));
    }),
  );
});

local.run();

const offsets = suite("the offsets of a time zone");

offsets("between two instants are those that luxon finds, each from its start", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      any2026,
      fc.integer({ min: 0, max: 62 * 86_400 }),
      fc.array(fc.nat({ max: 1_000 }), { maxLength: 20 }),
      (zone, seconds, length, places) => {
        const from = seconds * 1_000;
        const to = from + length * 1_000;
        const known = offsetsBetween(zone, from, to);
        assert.is(known[0]?.from, from);
        for (const [index, { from: since, offset }] of known.slice(1).entries()) {
          assert.is(aheadBy(zone)(since), offset);
          assert.is(aheadBy(zone)(since - 1), known[index]?.offset);
          assert.ok(since > (known[index]?.from ?? 0) && since <= to);
        }
        for (const instant of [from, to, ...places.map((place) => from + Math.floor(((to - from) * place) / 1_000))]) {
          assert.is(known.findLast(({ from: since }) => since <= instant)?.offset, aheadBy(zone)(instant));
        }
      },
    ),
    { numRuns: 25 },
  );
});

offsets("include a change at either end", () => {
  const change = Date.parse("2026-03-08T07:00:00.000Z");
  const [winter, summer] = [-5 * hour, -4 * hour];
  const newYork = (from: number, to: number) => offsetsBetween("America/New_York", from, to);
  assert.equal(newYork(change - 1, change - 1), [{ from: change - 1, offset: winter }]);
  assert.equal(newYork(change - 1, change), [
    { from: change - 1, offset: winter },
    { from: change, offset: summer },
  ]);
  assert.equal(newYork(change, change + 1), [{ from: change, offset: summer }]);
});

offsets("are one without a change", () => {
  assert.equal(offsetsBetween("Asia/Seoul", Date.UTC(2026, 0, 1), Date.UTC(2026, 11, 31)), [
    { from: Date.UTC(2026, 0, 1), offset: 9 * hour },
  ]);
});

offsets.run();
