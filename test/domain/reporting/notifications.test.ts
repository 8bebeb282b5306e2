import { suite } from "uvu";
import * as assert from "uvu/assert";
import { tooOld, withheldMonths } from "../../../domain/reporting/notifications.ts";

const masking = suite("the notification of masking");

for (const [count, listed, others] of [
  [1, 1, 0],
  [19, 19, 0],
  [20, 20, 0],
  [21, 20, 1],
  [50, 20, 30],
] as const) {
  masking(`lists ${listed} of ${count} channel-months, and what lifts it`, () => {
    const months = Array.from({ length: count }, (_, index) => ({ channel: `channel${index}`, month: "2026-03" }));
    assert.equal(withheldMonths(months), {
      code: "AGG_DATA_MASKING_BY_PARTNER",
      type: "WARNING",
      params: {
        impressions: 1_000,
        installs: 100,
        months: months.slice(0, listed).map(({ channel }) => `${channel} 2026-03`),
        others,
      },
    });
  });
}

masking("names the number of days after which data are too old", () => {
  assert.equal(tooOld, { code: "SAN_PERIOD_LIMIT", type: "WARNING", params: { days: 175 } });
});

masking.run();
