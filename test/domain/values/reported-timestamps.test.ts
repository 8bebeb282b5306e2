import { suite } from "uvu";
import * as assert from "uvu/assert";
import { maxDaysBack, reportedInstant } from "../../../domain/values/reported-timestamps.ts";

const day = 86_400_000;
const now = Date.parse("2026-03-10T12:00:00.000Z");

const age = suite("the age of what is reported");

age("is that of epoch milliseconds as a whole number, or of a text", () => {
  assert.is(reportedInstant(now, now, 31), now);
  for (const sent of [now + 0.5, Number.NaN, 2 ** 60]) assert.is(reportedInstant(sent, now, 31), "INVALID_TIMESTAMP");
});

age("is at most 10 minutes ahead", () => {
  const limit = now + 600_000;
  assert.equal(
    [limit - 1, limit, limit + 1].map((instant) => reportedInstant(instant, now, 31)),
    [limit - 1, limit, "TIMESTAMP_IN_FUTURE"],
  );
});

for (const [who, days] of [
  ["device", 31],
  ["owner", 800],
  ["partner", 1],
] as const) {
  age(`of what is sent by the ${who} is at most ${days} days`, () => {
    const limit = now - days * day;
    assert.equal(
      [limit + 1, limit, limit - 1].map((instant) =>
        reportedInstant(new Date(instant).toISOString(), now, maxDaysBack[who]),
      ),
      [limit + 1, limit, "TIMESTAMP_TOO_OLD"],
    );
  });
}

age.run();
