import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RevenueQuery } from "../../../../domain/reporting/revenue/query.ts";
import { spend } from "../actuals/advertising.ts";
import { happened } from "../retention/examples.ts";
import { openRevenueFacts, paid, revenueReport, totalsOf, valuesOf } from "./examples.ts";

/** A and B install on March 1, which costs 6; A pays 10 on that day and 5 two days later. */
const [a, b] = [1, 2];
const example = {
  appEvents: [
    happened("2026-03-01T10:00:00+09:00", { device: a }),
    happened("2026-03-01T11:00:00+09:00", { device: b }),
    paid("2026-03-01T12:00:00+09:00", a, 1_000),
    paid("2026-03-03T09:00:00+09:00", a, 500),
  ],
  uploads: { spend: [{ ...spend, cents: 600 }] },
};

const facts = await openRevenueFacts();
const schema = await facts.write(example);

const worked = suite("the worked example of revenue");
worked.after(() => facts.close());

const metrics: readonly (readonly [RevenueQuery["metric"], RevenueQuery["aggregationType"], readonly unknown[]])[] = [
  ["app_revenue", "on-day", ["10", "0", "5"]],
  ["app_revenue", "cumulative", ["10", "10", "15"]],
  ["app_arpu", "cumulative", ["5", "5", "7.5"]],
  ["app_arppu", "cumulative", ["10", "10", "15"]],
  ["app_arppu", "on-day", ["10", null, "5"]],
  ["app_user_count", "on-day", ["1", "0", "1"]],
  ["app_user_count", "cumulative", ["1", "1", "1"]],
  ["app_event_count", "on-day", ["1", "0", "1"]],
  ["app_event_count", "cumulative", ["1", "1", "2"]],
];
for (const [metric, aggregationType, values] of metrics) {
  worked(`${metric} ${aggregationType}`, async () => {
    const result = await facts.run(schema, revenueReport({ metric, aggregationType }));
    const [group] = result?.rows ?? [];
    assert.equal(result?.rows.length, 1);
    assert.equal(group && [valuesOf(group.total), totalsOf(group.total)], [values, ["2", "15", "6"]]);
    assert.equal(
      group?.rows.map((row) => [row.date, valuesOf(row), totalsOf(row)]),
      [["2026-03-01", values, ["2", "15", "6"]]],
    );
  });
}

worked("app_roas cumulative, in percent", async () => {
  const result = await facts.run(schema, revenueReport({ metric: "app_roas" }));
  const rounded = result?.rows.map(({ total }) => total.values.map((value) => Math.round(Number(value) * 10) / 10));
  assert.equal(rounded, [[166.7, 166.7, 250]]);
});

worked.run();
