import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startOfDay } from "../../../../domain/values/local-time.ts";
import { cohortReports, revenueOfWeek } from "../../../commands/report-tasks/cohort-requests.ts";
import { lastWeek, type Reports, startReports } from "../../../commands/report-tasks/reports.ts";
import { shop } from "../../../examples/app.ts";
import { spend, spring } from "../../../projections/reports/actuals/advertising.ts";
import { uuidOf } from "../../../projections/reports/facts.ts";
import { happened } from "../../../projections/reports/retention/examples.ts";
import { paid } from "../../../projections/reports/revenue/examples.ts";
import { noUploads } from "../../../projections/reports/uploads.ts";
import { assertRefused } from "../refused-explanation.ts";

const [, , , , first = "", yesterday = ""] = lastWeek;
const on = (date: string, hours: number): string =>
  new Date(startOfDay(shop.timezone, date) + hours * 3_600_000).toISOString();
const label = { source: { ...spring, channel: "partner" }, kind: "click" as const };
const byChannel = { ...revenueOfWeek, groupBy: { fields: ["channel"] }, metric: "app_roas" };
const cell = { row: ["partner"], metric: "app_roas", interval: 1 };

let reports: Reports;
let taskId = "";
const explaining = suite("explaining a cell of a revenue report");
explaining.before(async () => {
  reports = await startReports();
  await reports.writeFacts({
    touchpoints: [],
    appEvents: [
      happened(on(first, 10), { device: 1, label }),
      paid(on(first, 12), 1, 1_000),
      paid(on(yesterday, 12), 1, 500),
      paid(on(yesterday, 13), 1, 500, { currency: "USD" }),
    ],
    uploads: { ...noUploads, spend: [{ ...spend, date: first, cents: 600, from: 1 }] },
  });
  taskId = await cohortReports(reports, "revenue").ended(byChannel);
});
explaining.after(() => reports.close());

interface Explained {
  readonly value: number | null;
  readonly isMasked: boolean;
  readonly times?: number;
  readonly parts: readonly {
    readonly part: string;
    readonly sum: number;
    readonly excluded: readonly object[];
    readonly contributions: readonly { readonly startEventId?: string; readonly contribution: number }[];
  }[];
}

/** The value, and each part with its sum and what adds to it. */
async function told(requested: object) {
  const answer = await reports.explain(taskId, { ...cell, ...requested });
  assert.is(answer.status, 200, answer.text);
  const { value, isMasked, times, parts } = (answer.json as { data: Explained }).data;
  return [
    [value, isMasked, times],
    ...parts.map(({ part, sum, contributions }) => [part, sum, contributions.map(({ contribution }) => contribution)]),
  ];
}

explaining("answers a ratio in an interval: the returns and the cost", async () => {
  const both = [
    ["numerator", 15, [10, 5]],
    ["denominator", 6, [6]],
  ];
  assert.equal(await told({}), [[250, true, 100], ...both]);
  assert.equal(await told({ date: first }), [[250, true, 100], ...both]);
  assert.equal((await told({ interval: 0 }))[1], ["numerator", 10, [10]]);
});

explaining("says which start a return came back after, and what was left out", async () => {
  const { json } = await reports.explain(taskId, { ...cell, size: 1 });
  const { parts } = (json as { data: Explained }).data;
  assert.is(parts[0]?.contributions[0]?.startEventId, uuidOf(0));
  assert.equal(parts[0]?.excluded, [{ because: "exchange_rate_missing", count: 1, currencies: ["USD"] }]);
});

explaining("answers the totals of a group, and of a sub-row", async () => {
  for (const date of [{}, { date: first }]) {
    const total = (metric: string) => told({ metric, interval: undefined, ...date });
    assert.equal(await total("totalUniqueUsers"), [
      [1, false, undefined],
      ["value", 1, [1]],
    ]);
    assert.equal(await total("totalRevenue"), [
      [15, true, undefined],
      ["value", 15, [10, 5]],
    ]);
    assert.equal(await total("totalCost"), [
      [6, false, undefined],
      ["value", 6, [6]],
    ]);
  }
});

explaining("of an interval that has not begun tells nothing", async () => {
  assert.equal(await told({ interval: 3 }), [
    [null, false, 100],
    ["numerator", 0, []],
    ["denominator", 0, []],
  ]);
});

for (const [what, requested, loc] of [
  ["of a metric without its interval", { interval: undefined }, "interval"],
  ["of an interval after the last", { interval: 7 }, "interval"],
  ["of an interval of a total", { metric: "totalCost" }, "interval"],
  ["of an interval that is no whole number", { interval: 0.5 }, "interval"],
  ["of a date on which nothing started", { date: yesterday }, "date"],
  ["of no date", { date: "yesterday" }, "date"],
  ["of a row that the report has not", { row: ["kakao"] }, "row"],
  ["of a metric that was not requested", { metric: "app_revenue" }, "metric"],
] as const) {
  explaining(`is refused ${what}`, async () => {
    await assertRefused(reports, taskId, { ...cell, ...requested }, ["body", loc]);
  });
}

explaining.run();
