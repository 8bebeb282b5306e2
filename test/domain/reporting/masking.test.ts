import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findMaskedRanges, isSmall, monthsOf, oldestShown, unexpiredPart } from "../../../domain/reporting/masking.ts";
import { addDays } from "../../../domain/values/local-time.ts";

const many = { impressions: 1_000_000, installs: 1_000_000 };
const today = "2026-06-30";
const march = { from: "2026-03-01", to: "2026-03-31" };

const masking = suite("masking of self-attributing networks");

for (const [impressions, small] of [
  [999, true],
  [1_000, true],
  [1_001, false],
] as const) {
  masking(`${small ? "withholds" : "shows"} a month of ${impressions} impressions`, () => {
    assert.is(isSmall({ ...many, impressions }), small);
  });
}

for (const [installs, small] of [
  [99, true],
  [100, true],
  [101, false],
] as const) {
  masking(`${small ? "withholds" : "shows"} a month of ${installs} installs`, () => {
    assert.is(isSmall({ ...many, installs }), small);
  });
}

masking("counts whole months, whatever part of them is in the range", () => {
  assert.equal(monthsOf({ from: "2026-01-31", to: "2026-03-01" }), [
    { month: "2026-01", from: "2026-01-01", to: "2026-01-31" },
    { month: "2026-02", from: "2026-02-01", to: "2026-02-28" },
    { month: "2026-03", from: "2026-03-01", to: "2026-03-31" },
  ]);
  assert.equal(monthsOf({ from: "2024-02-10", to: "2024-02-10" }), [
    { month: "2024-02", from: "2024-02-01", to: "2024-02-29" },
  ]);
  assert.equal(
    monthsOf({ from: "2025-12-31", to: "2026-01-01" }).map(({ month }) => month),
    ["2025-12", "2026-01"],
  );
});

for (const [days, tooOld] of [
  [174, false],
  [175, false],
  [176, true],
] as const) {
  masking(`${tooOld ? "leaves out" : "keeps"} what is ${days} days old`, () => {
    const date = addDays(today, -days);
    assert.is(date < oldestShown(today), tooOld);
    assert.equal(unexpiredPart({ from: date, to: date }, today), tooOld ? null : { from: date, to: date });
    const month = { channel: "twitter", month: date.slice(0, 7), ...many };
    assert.equal(
      findMaskedRanges(["twitter"], [month], { from: date, to: date }, today),
      tooOld ? [{ channel: "twitter", from: date, to: date, reason: "older_than_175_days" }] : [],
    );
  });
}

masking("withholds small and unknown months, channel by channel", () => {
  const range = { from: "2026-02-15", to: "2026-04-10" };
  const counted = [
    { channel: "twitter", month: "2026-03", ...many },
    { channel: "tiktok", month: "2026-02", ...many },
    { channel: "tiktok", month: "2026-03", ...many, installs: 100 },
    { channel: "tiktok", month: "2026-04", ...many, installs: 101 },
  ];
  assert.equal(findMaskedRanges(["twitter", "tiktok"], counted, range, today), [
    { channel: "tiktok", ...march, reason: "small_month" },
    { channel: "twitter", from: "2026-02-15", to: "2026-02-28", reason: "small_month" },
    { channel: "twitter", from: "2026-04-01", to: "2026-04-10", reason: "small_month" },
  ]);
  assert.equal(findMaskedRanges([], counted, range, today), []);
});

masking("gives age precedence over small months", () => {
  const range = { from: "2026-01-01", to: "2026-03-31" };
  assert.is(oldestShown("2026-08-10"), "2026-02-16");
  assert.equal(findMaskedRanges(["twitter"], [], range, "2026-08-10"), [
    { channel: "twitter", from: "2026-01-01", to: "2026-02-15", reason: "older_than_175_days" },
    { channel: "twitter", from: "2026-02-16", to: "2026-02-28", reason: "small_month" },
    { channel: "twitter", ...march, reason: "small_month" },
  ]);
  assert.equal(findMaskedRanges(["twitter"], [], march, "2027-01-01"), [
    { channel: "twitter", ...march, reason: "older_than_175_days" },
  ]);
});

masking.run();
