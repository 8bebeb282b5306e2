import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startOfDay } from "../../../../domain/values/local-time.ts";
import { cohortReports, retentionOfWeek } from "../../../commands/report-tasks/cohort-requests.ts";
import { lastWeek, type Reports, startReports } from "../../../commands/report-tasks/reports.ts";
import { shop } from "../../../examples/app.ts";
import { spring } from "../../../projections/reports/actuals/advertising.ts";
import { uuidOf } from "../../../projections/reports/facts.ts";
import { happened, ordered } from "../../../projections/reports/retention/examples.ts";
import { assertRefused } from "../refused-explanation.ts";

const [, , , , first = "", yesterday = ""] = lastWeek;
const on = (date: string, hours: number): string =>
  new Date(startOfDay(shop.timezone, date) + hours * 3_600_000).toISOString();
const of = (channel: string) => ({ label: { source: { ...spring, channel }, kind: "click" as const } });
const cell = { row: ["partner"], metric: "returnUsers", interval: 1 };

let reports: Reports;
let taskId = "";
const explaining = suite("explaining a cell of a retention report");
explaining.before(async () => {
  reports = await startReports();
  await reports.writeFacts({
    touchpoints: [],
    appEvents: [
      happened(on(first, 10), { device: 1, ...of("partner") }, shop.timezone),
      happened(on(first, 10), { device: 2, ...of("twitter") }, shop.timezone),
      ordered(on(yesterday, 12), 1),
      ordered(on(yesterday, 13), 1),
    ],
  });
  taskId = await cohortReports(reports, "retention").ended({ ...retentionOfWeek, groupBy: { fields: ["channel"] } });
});
explaining.after(() => reports.close());

interface Explained {
  readonly value: number | null;
  readonly isMasked: boolean;
  readonly parts: readonly {
    readonly sum: number;
    readonly excluded: readonly object[];
    readonly contributions: readonly {
      readonly eventId: string;
      readonly startEventId?: string;
      readonly contribution: number;
    }[];
  }[];
}

/** The value, the sum, what is left out, and each event with its start and what it adds. */
async function told(requested: object) {
  const answer = await reports.explain(taskId, { ...cell, ...requested });
  assert.is(answer.status, 200, answer.text);
  const { value, isMasked, parts } = (answer.json as { data: Explained }).data;
  return parts.map(({ sum, excluded, contributions }) => [
    value,
    isMasked,
    sum,
    excluded,
    contributions.map(({ eventId, startEventId, contribution }) => [eventId, startEventId, contribution]),
  ]);
}

explaining("answers the returns with the start that they serve, of a group and of a sub-row", async () => {
  const returns = [
    [uuidOf(2), uuidOf(0), 1],
    [uuidOf(3), uuidOf(0), 0],
  ];
  assert.equal(await told({}), [[1, false, 1, [], returns]]);
  assert.equal(await told({ date: first }), [[1, false, 1, [], returns]]);
  assert.equal(await told({ interval: 0 }), [[0, false, 0, [], []]]);
});

explaining("answers the starts", async () => {
  const starts = [[uuidOf(0), undefined, 1]];
  assert.equal(await told({ metric: "startUsers", interval: undefined }), [[1, false, 1, [], starts]]);
});

explaining("of a hidden cell says why, and no more", async () => {
  const hidden = [[null, true, 0, [{ because: "withheld_by_partner_policy" }], []]];
  assert.equal(await told({ row: ["twitter"], metric: "startUsers", interval: undefined }), hidden);
  assert.equal(await told({ row: ["twitter"] }), hidden);
});

explaining("of an interval that has not begun tells nothing", async () => {
  assert.equal(await told({ interval: 3 }), [[null, false, 0, [], []]]);
});

for (const [what, requested, loc] of [
  ["of returns without an interval", { interval: undefined }, "interval"],
  ["of an interval after the last", { interval: 7 }, "interval"],
  ["of an interval of starts", { metric: "startUsers" }, "interval"],
  ["of a date on which nothing started", { date: yesterday }, "date"],
  ["of a row that the report has not", { row: ["kakao"] }, "row"],
  ["of a metric of other reports", { metric: "clicks" }, "metric"],
] as const) {
  explaining(`is refused ${what}`, async () => {
    await assertRefused(reports, taskId, { ...cell, ...requested }, ["body", loc]);
  });
}

explaining.run();
