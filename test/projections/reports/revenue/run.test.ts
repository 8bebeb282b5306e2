import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { granularities } from "../../../../domain/reporting/granularity.ts";
import type { RevenueQuery } from "../../../../domain/reporting/revenue/query.ts";
import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import type { RevenueResult } from "../../../../projections/reports/revenue/run.ts";
import { spend } from "../actuals/advertising.ts";
import { happened } from "../retention/examples.ts";
import { noUploads } from "../uploads.ts";
import { openRevenueFacts, paid, revenueReport, totalsOf, valuesOf } from "./examples.ts";
import { someHistories } from "./generated.ts";
import { type ReferenceLine, referenceRevenue } from "./reference.ts";
import { comparable } from "./reference-values.ts";

const facts = await openRevenueFacts();
const revenue = suite("a revenue report");

type Line = NonNullable<RevenueResult["total"]> & { readonly date?: string };

/** A line in the form of the reference: quotients with as many digits as are compared. */
function lineOf(line: Line, { query: { metric } }: ReportAt<"revenue">): ReferenceLine {
  const [users = null, earned = null, cost = null] = totalsOf(line);
  const isRatio = metric === "app_roas" || metric === "app_arpu" || metric === "app_arppu";
  const values = valuesOf(line).map((value) => {
    const [, number = "", mark = ""] = /^(.*?)(\+?)$/.exec(value ?? "") ?? [];
    return value === null || number === "null" || !isRatio ? value : `${comparable(number)}${mark}`;
  });
  return { ...(line.date === undefined ? {} : { date: line.date }), users, revenue: earned, cost, values };
}

function groupOf({ groupBys, rows, total }: RevenueResult["rows"][number], question: ReportAt<"revenue">) {
  return { groupBys, rows: rows.map((row) => lineOf(row, question)), total: lineOf(total, question) };
}

for (const granularity of granularities) {
  revenue(`by ${granularity} is what a plain reading of each event gives`, async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(someHistories(25, granularity), async ({ facts: written, histories }) => {
        const schema = await facts.write(written);
        for (const { appEvents, spend, question } of histories) {
          const own = { ...written, appEvents, uploads: { ...noUploads, ...written.uploads, spend } };
          const about = JSON.stringify({ ...question, position: Number(question.position) });
          const result = await facts.run(schema, question);
          assert.equal(
            result?.rows.map((group) => groupOf(group, question)),
            referenceRevenue(own, question),
            about,
          );
          const [everything] = referenceRevenue(own, { ...question, query: { ...question.query, groupBys: [] } });
          if (question.query.includesTotal && everything !== undefined) {
            assert.equal(result?.total && lineOf(result.total, question), everything.total, about);
          }
          compared += 1;
        }
        facts.release(schema);
      }),
      { numRuns: 4, endOnFailure: true },
    );
    assert.is(compared, 100);
  });
}

revenue("counts acknowledged starts whose clock is ahead of the report's 'now', but no such returns", async () => {
  const [early, late] = ["2026-03-03T11:59:59+09:00", "2026-03-03T12:05:00+09:00"];
  const appEvents = [
    ...[happened(early, { device: 1 }), paid(early, 1, 1_000), paid(late, 1, 2_000)],
    ...[happened(late, { device: 2 }), paid(late, 2, 4_000)],
  ];
  const range = { from: "2026-03-03", to: "2026-03-03" };
  const result = await facts.answerOne({ appEvents }, revenueReport(range));
  assert.equal(
    result?.rows.map(({ total }) => [...totalsOf(total), ...valuesOf(total)]),
    [["2", "10", null, "10"]],
  );
});

revenue("counts returns in the last interval of a start, and none after it", async () => {
  const at = (time: string) => `2026-03-01T${time}+09:00`;
  const appEvents = [
    happened(at("10:00:00"), { device: 1 }),
    paid(at("13:00:59"), 1, 1_000),
    paid(at("13:01:00"), 1, 2_000),
  ];
  const result = await facts.answerOne({ appEvents }, revenueReport({ granularity: "minute" }));
  assert.equal(
    result.rows.map(({ total }) => [totalsOf(total), valuesOf(total)]),
    [
      [
        ["1", "10", null],
        [...Array(180).fill("0"), "10"],
      ],
    ],
  );
});

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

const schema = await facts.write(example);
const worked = suite("the worked example of revenue");

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

worked.after(() => facts.close());

revenue.run();
worked.run();
