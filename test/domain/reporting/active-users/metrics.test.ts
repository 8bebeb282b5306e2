import { suite } from "uvu";
import * as assert from "uvu/assert";
import { intervalsOf } from "../../../../domain/reporting/active-users/intervals.ts";
import { type Activity, activeUsersValue, noActivity } from "../../../../domain/reporting/active-users/metrics.ts";
import type { Granularity } from "../../../../domain/reporting/granularity.ts";

const metrics = ["app_au", "app_pu", "app_revenue", "app_arpu", "app_arppu"] as const;
const valuesOf = (activity: Activity) => metrics.map((metric) => activeUsersValue(metric, activity));

const values = suite("metrics of active users");

values("divide revenue by active and by paying devices", () => {
  assert.equal(valuesOf({ active: 2, paying: 1, revenue: "12" }), ["2", "1", "12", "6", "12"]);
});

values("are 0 without activity, ratios null without a divisor", () => {
  assert.equal(valuesOf(noActivity), ["0", "0", "0", null, null]);
  assert.equal(valuesOf({ active: 3, paying: 0, revenue: "0" }), ["3", "0", "0", "0", null]);
});

values("keep every digit of the revenue, and are negative when more was cancelled than paid", () => {
  const revenue = "-90071992547409930.25";
  assert.equal(valuesOf({ active: 1, paying: 0, revenue }), ["1", "0", revenue, "-90071992547409940", null]);
});

values.run();

const intervals = suite("intervals of active users");

const textsOf = (granularity: Granularity, from: string, to: string, timezone: string) => {
  const { count, textOf } = intervalsOf({ from, to, granularity }, timezone);
  return Array.from({ length: count }, (_, index) => textOf(index));
};
const count = (granularity: Granularity, from: string, to: string, timezone: string) =>
  intervalsOf({ from, to, granularity }, timezone).count;

intervals("are dates, each to the beginning of the next", () => {
  assert.equal(textsOf("day", "2026-02-28", "2026-03-01", "Asia/Seoul"), [
    "2026-02-28T00:00:00.000+09:00/2026-03-01T00:00:00.000+09:00",
    "2026-03-01T00:00:00.000+09:00/2026-03-02T00:00:00.000+09:00",
  ]);
});

intervals("are 7 days each from the first date, the last cut off after the last date", () => {
  assert.equal(textsOf("week", "2026-03-01", "2026-03-08", "UTC"), [
    "2026-03-01T00:00:00.000+00:00/2026-03-08T00:00:00.000+00:00",
    "2026-03-08T00:00:00.000+00:00/2026-03-09T00:00:00.000+00:00",
  ]);
  assert.is(count("week", "2026-03-01", "2026-03-07", "UTC"), 1);
});

intervals("are months to the same day, the month's last where it has none", () => {
  assert.equal(textsOf("month", "2026-01-31", "2026-04-02", "UTC"), [
    "2026-01-31T00:00:00.000+00:00/2026-02-28T00:00:00.000+00:00",
    "2026-02-28T00:00:00.000+00:00/2026-03-31T00:00:00.000+00:00",
    "2026-03-31T00:00:00.000+00:00/2026-04-03T00:00:00.000+00:00",
  ]);
});

intervals("lie on whole dates, or on one and a part of the next", () => {
  const datesOf = (granularity: Granularity, index: number) =>
    intervalsOf({ from: "2026-01-31", to: "2026-04-02", granularity }, "Australia/Lord_Howe").datesOf(index);
  assert.equal(datesOf("day", 1), { from: "2026-02-01", to: "2026-02-01" });
  assert.equal(datesOf("month", 1), { from: "2026-02-28", to: "2026-03-30" });
  assert.equal(datesOf("month", 2), { from: "2026-03-31", to: "2026-04-02" });
  assert.equal(datesOf("hour", 23), { from: "2026-01-31", to: "2026-01-31" });
  assert.equal(datesOf("hour", 24), { from: "2026-02-01", to: "2026-02-01" });
  const clocksBack = { from: "2026-04-05", to: "2026-04-06", granularity: "hour" } as const;
  assert.equal(intervalsOf(clocksBack, "Australia/Lord_Howe").datesOf(24), { from: "2026-04-05", to: "2026-04-06" });
});

intervals("last as long as their dates when the clocks change", () => {
  assert.equal(textsOf("day", "2026-03-28", "2026-03-29", "Europe/Berlin"), [
    "2026-03-28T00:00:00.000+01:00/2026-03-29T00:00:00.000+01:00",
    "2026-03-29T00:00:00.000+01:00/2026-03-30T00:00:00.000+02:00",
  ]);
  assert.is(count("hour", "2026-03-29", "2026-03-29", "Europe/Berlin"), 23);
  assert.is(count("hour", "2026-10-25", "2026-10-25", "Europe/Berlin"), 25);
  assert.is(count("minute", "2026-10-25", "2026-10-25", "Europe/Berlin"), 1_500);
  assert.equal(textsOf("hour", "2026-10-25", "2026-10-25", "Europe/Berlin").slice(1, 4), [
    "2026-10-25T01:00:00.000+02:00/2026-10-25T02:00:00.000+02:00",
    "2026-10-25T02:00:00.000+02:00/2026-10-25T02:00:00.000+01:00",
    "2026-10-25T02:00:00.000+01:00/2026-10-25T03:00:00.000+01:00",
  ]);
});

intervals("begin and end where the day does that has no midnight", () => {
  assert.equal(textsOf("day", "2018-11-03", "2018-11-04", "America/Sao_Paulo"), [
    "2018-11-03T00:00:00.000-03:00/2018-11-04T01:00:00.000-02:00",
    "2018-11-04T01:00:00.000-02:00/2018-11-05T00:00:00.000-02:00",
  ]);
  assert.equal(textsOf("hour", "2018-11-04", "2018-11-04", "America/Sao_Paulo").slice(0, 1), [
    "2018-11-04T01:00:00.000-02:00/2018-11-04T02:00:00.000-02:00",
  ]);
});

intervals("of hours end with the last date, also where clocks change by half an hour", () => {
  assert.equal(textsOf("hour", "2026-04-05", "2026-04-05", "Australia/Lord_Howe").slice(-2), [
    "2026-04-05T22:30:00.000+10:30/2026-04-05T23:30:00.000+10:30",
    "2026-04-05T23:30:00.000+10:30/2026-04-06T00:00:00.000+10:30",
  ]);
});

intervals("of minutes are 132,480 in 92 dates", () => {
  assert.is(count("minute", "2026-05-01", "2026-07-31", "UTC"), 132_480);
});

intervals.run();
