import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays, startOfDay, zonedTimestamp } from "../../../../domain/values/local-time.ts";
import { clickOn } from "../../../commands/report-tasks/advertising.ts";
import { lastWeek, type Reports, startReports } from "../../../commands/report-tasks/reports.ts";
import { shop } from "../../../examples/app.ts";
import { did } from "../../../projections/reports/active-users/examples.ts";
import { assertRefused } from "../refused-explanation.ts";

const [first = "", second = ""] = lastWeek;
const label = { source: clickOn("partner", "spring").source, kind: "click" as const };
const appEvents = [
  did("app_open", `${first}T00:00`, 1, { label }),
  did("app_order_complete", `${first}T05:00`, 2, { cents: 1_001, label }),
  did("app_order_complete", `${first}T06:00`, 2, { cents: 1_001, currency: "USD", label }),
];
const body = {
  from: first,
  to: second,
  granularity: "day",
  metrics: ["app_au", "app_arpu"],
  groupBy: { fields: ["campaign"] },
  filters: [],
};
const midnight = (date: string) => zonedTimestamp(shop.timezone, startOfDay(shop.timezone, date));
const cell = { row: ["spring"], metric: "app_au", date: midnight(first) };

interface Explained {
  readonly value: number | null;
  readonly isMasked: boolean;
  readonly times?: number;
  readonly parts: readonly {
    readonly part: string;
    readonly sum: number;
    readonly excluded: object;
    readonly contributions: readonly { readonly contribution: number }[];
  }[];
}

let reports: Reports;
let taskId = "";
const explaining = suite("explaining a cell of an active users report");
explaining.before(async () => {
  reports = await startReports(`/reports/api/v4/apps/${shop.name}/active-users/query`);
  await reports.writeFacts({ touchpoints: [], appEvents });
  taskId = await reports.ended(body);
});
explaining.after(() => reports.close());

async function explained(requested: object): Promise<Explained> {
  const answer = await reports.explain(taskId, requested);
  assert.is(answer.status, 200, answer.text);
  return (answer.json as { data: Explained }).data;
}
const added = ({ part, sum, contributions }: Explained["parts"][number]) => {
  return [part, sum, contributions.map(({ contribution }) => contribution)];
};

explaining("answers its value, and every event of the interval with what it adds", async () => {
  const { parts, ...told } = await explained(cell);
  const { asOfPosition } = told as unknown as { asOfPosition: string };
  assert.equal(told, { taskId, report: "active_users", asOfPosition, ...cell, value: 2, isMasked: false });
  assert.equal(parts.map(added), [["value", 2, [1, 1, 0]]]);
});

explaining("takes the whole interval for its beginning", async () => {
  const date = `${midnight(first)}/${midnight(second)}`;
  assert.equal((await explained({ ...cell, date })).parts, (await explained(cell)).parts);
});

explaining("answers the revenue and the users of a metric per user, and what was left out", async () => {
  const { value, isMasked, times, parts } = await explained({ ...cell, metric: "app_arpu" });
  assert.equal([value, isMasked, times], [5.005, true, 1]);
  assert.equal(parts.map(added), [
    ["numerator", 10.01, [10.01]],
    ["denominator", 2, [1, 1, 0]],
  ]);
  assert.equal(
    parts.map(({ excluded }) => excluded),
    [[{ because: "exchange_rate_missing", count: 1, currencies: ["USD"] }], []],
  );
});

explaining("of an interval in which nothing happened tells nothing", async () => {
  const { value, parts } = await explained({ ...cell, date: midnight(second) });
  assert.equal([value, parts.map(added)], [0, [["value", 0, []]]]);
});

for (const [what, requested, loc] of [
  ["without an interval", { date: undefined }, "date"],
  ["of an interval before the first", { date: midnight(addDays(first, -1)) }, "date"],
  ["of an interval after the last", { date: midnight(addDays(second, 1)) }, "date"],
  ["of an instant within an interval", { date: `${first}T01:00:00.000+09:00` }, "date"],
  ["of an interval with another end", { date: `${midnight(first)}/${midnight(addDays(second, 1))}` }, "date"],
  ["of a beginning and a slash", { date: `${midnight(first)}/` }, "date"],
  ["of the same instant in another zone", { date: new Date(midnight(first)).toISOString() }, "date"],
  ["of no date", { date: "yesterday" }, "date"],
  ["of a date that is no text", { date: 1 }, "date"],
  ["of the number of an interval", { interval: 0 }, "interval"],
  ["of a row that the report has not", { row: ["winter"] }, "row"],
  ["of a metric that was not requested", { metric: "app_pu" }, "metric"],
  ["of a metric of other reports", { metric: "clicks" }, "metric"],
] as const) {
  explaining(`is refused ${what}`, async () => {
    await assertRefused(reports, taskId, { ...cell, ...requested }, ["body", loc]);
  });
}

explaining.run();
