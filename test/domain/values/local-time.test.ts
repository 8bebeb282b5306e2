import { suite } from "uvu";
import * as assert from "uvu/assert";
import { localDateTime, zoneOffset } from "../../../domain/values/local-time.ts";

const clocks = suite("an instant on a zone's clocks, to the second");

const readings: readonly (readonly [string, string, string, string])[] = [
  ["in UTC", "UTC", "2026-03-01T09:00:00.000Z", "2026-03-01T09:00:00"],
  ["on another date", "Asia/Seoul", "2026-02-28T15:00:00.000Z", "2026-03-01T00:00:00"],
  ["its milliseconds left out, not rounded", "UTC", "2026-12-31T23:59:59.999Z", "2026-12-31T23:59:59"],
  ["with quarters of an hour", "Asia/Kathmandu", "2026-03-01T00:00:00.000Z", "2026-03-01T05:45:00"],
  ["before the spring's skip", "America/New_York", "2026-03-08T06:59:59.000Z", "2026-03-08T01:59:59"],
  ["after the spring's skip", "America/New_York", "2026-03-08T07:00:00.000Z", "2026-03-08T03:00:00"],
  ["before the autumn's repeat", "America/New_York", "2026-11-01T05:59:59.000Z", "2026-11-01T01:59:59"],
  ["after it, the same hour again", "America/New_York", "2026-11-01T06:00:00.000Z", "2026-11-01T01:00:00"],
  ["before a skip of half an hour", "Australia/Lord_Howe", "2026-10-03T15:29:59.000Z", "2026-10-04T01:59:59"],
  ["after a skip of half an hour", "Australia/Lord_Howe", "2026-10-03T15:30:00.000Z", "2026-10-04T02:30:00"],
  ["before a day without a midnight", "America/Santiago", "2026-09-06T03:59:59.000Z", "2026-09-05T23:59:59"],
  ["at its start", "America/Santiago", "2026-09-06T04:00:00.000Z", "2026-09-06T01:00:00"],
];
for (const [what, timezone, instant, reading] of readings) {
  clocks(what, () => assert.is(localDateTime(timezone, Date.parse(instant)), reading));
}

const cache = suite("the cache of offsets");

const quarterHour = 15 * 60 * 1000;
const maxCached = 100_000;

/** How many offsets are computed, not found in the cache, during `work`. */
function computedDuring(work: () => void): number {
  const formats = Intl.DateTimeFormat.prototype;
  const { formatToParts } = formats;
  let computed = 0;
  formats.formatToParts = function (...parameters) {
    computed += 1;
    return formatToParts.apply(this, parameters);
  };
  try {
    work();
  } finally {
    formats.formatToParts = formatToParts;
  }
  return computed;
}

cache("has one limit for all zones", () => {
  const first = Date.parse("2020-01-01T00:00:00Z");
  const ask = (timezone: string, count: number): number =>
    computedDuring(() => {
      for (let quarter = 0; quarter < count; quarter += 1) zoneOffset(timezone, first + quarter * quarterHour);
    });
  // Until the cache has begun anew: what other tests have left in it is not known.
  zoneOffset("Europe/Paris", first);
  for (let quarter = 1; ask("Europe/Paris", 1) === 0 && quarter <= maxCached; quarter += 1) {
    zoneOffset("Asia/Tokyo", first - quarter * quarterHour);
  }
  const room = maxCached - 2;
  assert.is(ask("Europe/Rome", room / 2), room / 2);
  assert.is(ask("Europe/Oslo", room / 2 - 1), room / 2 - 1, "one below the limit");
  assert.is(ask("Europe/Paris", 1), 0);
  zoneOffset("Europe/Oslo", first - quarterHour);
  assert.is(ask("Europe/Paris", 1), 0, "at the limit");
  zoneOffset("Europe/Oslo", first - 2 * quarterHour);
  assert.is(ask("Europe/Paris", 1), 1, "beyond it");
});

clocks.run();
cache.run();
