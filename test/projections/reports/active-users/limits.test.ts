// time limit: 120 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { activeUsersReport, codes, did, openActiveUsersFacts } from "./examples.ts";

const facts = await openActiveUsersFacts();
const exceeded = ["EXCEEDED_LIMIT_ON_MAX_ROW_COUNT.groups"];

const limits = suite("limits of an active users report");
limits.after(() => facts.close());

for (const [count, held, notified] of [
  [9_999, 9_999, []],
  [10_000, 10_000, []],
  [10_001, 10_000, exceeded],
] as const) {
  limits(`hold the first 10,000 of ${count} groups, the largest first, whatever is counted`, async () => {
    const models = Array.from({ length: count }, (_, index) => `model ${String(count - index).padStart(5, "0")}`);
    const [largest = ""] = models;
    const appEvents = [largest, ...models].map((device_model, device) =>
      did("app_order_complete", "2026-03-02T10:00", device, {
        cents: 100,
        client: { os_name: null, country: null, device_model },
      }),
    );
    const ordered = [largest, ...models.slice(1).reverse()];
    const query = { groupBys: ["device_model"] };
    const results = await facts.answer(
      { appEvents },
      activeUsersReport(query),
      activeUsersReport({ ...query, granularity: "hour" }),
      activeUsersReport({ ...query, metrics: ["app_revenue"] }),
    );
    for (const result of results) {
      assert.equal(
        result.rows.map(({ groupBys }) => groupBys),
        ordered.slice(0, held).map((model) => [model]),
      );
      assert.equal(codes(result), notified);
    }
  });
}

for (const [count, held, notified] of [
  [36, 36, []],
  [37, 37, []],
  [38, 37, exceeded],
] as const) {
  limits(`hold ${held} of ${count} groups of 132,480 minutes: 5 million cells`, async () => {
    const opened = Array.from({ length: count }, (_, device) =>
      did("app_open", "2026-01-01T00:00", device, {
        client: { os_name: null, country: null, device_model: `model ${device + 10}` },
      }),
    );
    const range = { from: "2026-01-01", to: "2026-04-02", granularity: "minute", groupBys: ["device_model"] } as const;
    const [one, both] = await facts.answer(
      { appEvents: opened },
      activeUsersReport({ ...range, metrics: ["app_au"] }),
      activeUsersReport({ ...range, metrics: ["app_au", "app_pu"] }),
    );
    assert.equal([one?.rows.length, one && codes(one)], [held, notified]);
    assert.equal([both?.rows.length, both && codes(both)], [18, exceeded]);
  });
}

limits.run();
