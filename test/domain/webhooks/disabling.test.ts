import { suite } from "uvu";
import * as assert from "uvu/assert";
import { healthAfter } from "../../../domain/webhooks/disabling.ts";
import type { Failing } from "../../../domain/webhooks/retries.ts";

const fiveDaysMs = 5 * 86_400_000;
const start = Date.parse("2026-03-30T00:00:00.000Z");
const at = (seconds: number) => new Date(start + seconds * 1_000);
const refused = { responseStatus: 500, failure: "status" } as const;
const taken = { responseStatus: 204, failure: null };
const gone = { responseStatus: 410, failure: "status" } as const;

const health = suite("a webhook");

health("is paused while all of it fails: 5 s, twice as long each time, at most 5 minutes", () => {
  const pauses: number[] = [];
  let failing: Failing | null = null;
  for (let round = 0; round < 9; round += 1) {
    const after = healthAfter(failing, [refused, refused], at(round));
    failing = after.failing;
    pauses.push(((after.pausedUntil?.getTime() ?? 0) - at(round).getTime()) / 1_000);
  }
  assert.equal(pauses, [5, 10, 20, 40, 80, 160, 300, 300, 300]);
  assert.equal(failing, { failures: 9, since: at(0) });
});

health("is healthy after one success", () => {
  const healthy = { failing: null, pausedUntil: null, disable: null };
  assert.equal(healthAfter({ failures: 3, since: at(0) }, [refused, taken], at(9 * 24 * 3_600)), healthy);
});

health("is disabled after five days of failures, and at once when its receiver is gone", () => {
  const failing = { failures: 19, since: at(0) };
  assert.is(healthAfter(failing, [refused], new Date(start + fiveDaysMs - 1)).disable, null);
  assert.is(healthAfter(failing, [refused], new Date(start + fiveDaysMs)).disable, "failing");
  assert.is(healthAfter(failing, [refused], new Date(start + fiveDaysMs + 1)).disable, "failing");
  assert.is(healthAfter(null, [taken, gone], at(0)).disable, "gone");
});

health("is not disabled by fewer than 20 failures, as after a stop of days", () => {
  const disabled = (failures: number) =>
    healthAfter({ failures: failures - 1, since: at(0) }, [refused], new Date(start + 2 * fiveDaysMs)).disable;
  assert.equal([19, 20, 21].map(disabled), [null, "failing", "failing"]);
});

health.run();
