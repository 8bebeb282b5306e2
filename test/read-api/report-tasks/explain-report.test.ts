import { suite } from "uvu";
import * as assert from "uvu/assert";
import { reportPath } from "../../../client/index.ts";
import { startOfDay, zonedTimestamp } from "../../../domain/values/local-time.ts";
import { shop } from "../../examples/app.ts";
import { order as anOrder, spend } from "../../projections/reports/actuals/advertising.ts";
import { type AppEvent, uuidOf } from "../../projections/reports/facts.ts";
import { happened } from "../../projections/reports/retention/examples.ts";
import { paid } from "../../projections/reports/revenue/examples.ts";
import { noUploads } from "../../projections/reports/uploads.ts";
import type { Answer } from "../../support/raw-client.ts";
import { clickOn, threeCampaigns } from "../../support/reports/campaign-clicks.ts";
import { retentionOfWeek, revenueOfWeek } from "../../support/reports/cohort-requests.ts";
import { clicksByCampaign, lastWeek, type Reports, startReports } from "../../support/reports/report-application.ts";
import { problemOf } from "../../support/short-faults.ts";

const { client, date, source } = clickOn("partner", "Spring sale");
const order: AppEvent = { ...anOrder, from: 1, date, client, cents: 1050, label: { source, kind: "click" } };
const euros: AppEvent = { ...order, cents: 200, currency: "EUR" };
const dollars: AppEvent = { ...order, currency: "USD" };
const spent = { ...spend, from: 1, date, campaign: "Spring sale", cents: 10_500 };
const rates = [
  { currency: "KRW", rate: "1500.5" },
  { currency: "EUR", rate: "1" },
].map((one) => ({ date, base: "EUR", ...one, from: 1, to: null }));
const tweet = { ...clickOn("twitter", "tweets"), date: lastWeek[2] ?? "" };
/** Of one date: a campaign with a shown click and a withheld one, and a shown click without a campaign. */
const partlyWithheld = [clickOn("twitter", "shared"), clickOn("partner", "shared"), clickOn("partner", null)].map(
  (click) => ({ ...click, date: lastWeek[1] ?? "" }),
);
/** A campaign with a shown order and, a day later, a withheld one; then a shown order without campaign, in dollars. */
const partlyWithheldOrders = [
  { source: clickOn("partner", "shared").source, date: lastWeek[2] ?? "" },
  { source: clickOn("twitter", "shared").source, date: lastWeek[3] ?? "" },
  { source: clickOn("partner", null).source, date: lastWeek[3] ?? "", currency: "USD" },
].map(({ source: ofOrder, ...more }, index): AppEvent => {
  return { ...order, ...more, device: 11 + index, label: { source: ofOrder, kind: "click" } };
});
const manyImpressions = Array.from({ length: 1_001 }, () => {
  return { ...clickOn("display", "many"), kind: "impression", date: lastWeek[0] ?? "" } as const;
});
const [dayBefore, yesterday] = [lastWeek[4] ?? "", lastWeek[5] ?? ""];
const noon = (day: string) => new Date(startOfDay(shop.timezone, day) + 12 * 3_600_000).toISOString();
/** An install, and an order the day after it. */
const cohort = [happened(noon(dayBefore), { device: 1 }), paid(noon(yesterday), 1, 500)];

interface Part {
  readonly part: string;
  readonly sum: number;
  readonly contributions: readonly {
    readonly touchpointId?: string;
    readonly eventId?: string;
    readonly startEventId?: string;
    readonly contribution: number;
  }[];
  readonly pagination: { readonly hasNext: boolean; readonly totalCount: number };
}

const today = { ...clicksByCampaign, from: lastWeek[6], metrics: ["clicks", "app_revenue", "roas"] };
const impressions = { ...clicksByCampaign, to: lastWeek[0], metrics: ["impressions"] };
const many = { row: ["many"], metric: "impressions" };
const explainPath = (id: string) => `/admin/v1/apps/${shop.name}/report-tasks/${id}/explain`;
const spring = { row: ["Spring sale"], metric: "clicks" };
let reports: Reports;
let taskId = "";
const explaining = suite("explaining a cell of a report");
explaining.before(async () => {
  reports = await startReports();
  await reports.writeFacts({
    touchpoints: [...threeCampaigns.touchpoints, tweet, ...partlyWithheld, ...manyImpressions],
    appEvents: [order, euros, dollars, ...cohort, ...partlyWithheldOrders],
    uploads: { ...noUploads, spend: [spent], rates },
  });
  taskId = await reports.ended(today);
});
explaining.after(() => reports.close());

async function explained(cell: object, id = taskId): Promise<Answer> {
  const answer = await reports.explain(id, cell);
  assert.is(answer.status, 200, answer.text);
  return answer;
}
async function parts(cell: object, id = taskId): Promise<readonly Part[]> {
  return ((await explained(cell, id)).json as { data: { parts: readonly Part[] } }).data.parts;
}
const event = (index: number) => ({
  kind: "app_event",
  eventId: uuidOf(index),
  position: "1",
  countsFrom: "1",
  occurredAt: `${date}T00:00:00.000Z`,
  category: "app_order_complete",
  userId: uuidOf(1),
  touchpointId: null,
  channel: "partner",
  campaign: "Spring sale",
});

explaining("returns the cell, and each fact that counts towards it with its contribution", async () => {
  const answer = await explained({ ...spring, skip: 1, size: 1 });
  const { asOfPosition } = (answer.json as { data: { asOfPosition: string } }).data;
  assert.equal(answer.json, {
    data: {
      taskId,
      report: "actuals",
      asOfPosition,
      row: ["Spring sale"],
      metric: "clicks",
      value: 3,
      isMasked: false,
      parts: [
        {
          part: "value",
          counts: { kind: "touchpoints", of: ["click"] },
          sum: 3,
          excluded: [],
          contributions: [
            {
              kind: "touchpoint",
              touchpointId: uuidOf(1),
              position: "1",
              occurredAt: `${date}T00:00:00.000Z`,
              touchpointKind: "click",
              channel: "partner",
              campaign: "Spring sale",
              contribution: 1,
            },
          ],
          pagination: { hasNext: true, totalCount: 3 },
        },
      ],
    },
  });
  assert.match(asOfPosition, /^\d+$/);
  assert.is(answer.headers["content-type"], "application/json; charset=utf-8");
});

explaining("returns both parts of a ratio, amounts as sent and their rates, and left out facts", async () => {
  const answer = await explained({ ...spring, metric: "roas" });
  const { asOfPosition } = (answer.json as { data: { asOfPosition: string } }).data;
  assert.equal(answer.json, {
    data: {
      taskId,
      report: "actuals",
      asOfPosition,
      row: ["Spring sale"],
      metric: "roas",
      value: 2868.095238095238,
      isMasked: true,
      times: 100,
      parts: [
        {
          part: "numerator",
          counts: {
            kind: "money",
            adds: { categories: ["app_order_complete", "app_subscribe"] },
            subtracts: ["app_order_cancel"],
          },
          sum: 3011.5,
          excluded: [{ because: "exchange_rate_missing", count: 1, currencies: ["USD"] }],
          contributions: [
            { ...event(0), amount: { value: 10.5, currency: "KRW" }, rate: null, contribution: 10.5 },
            {
              ...event(1),
              amount: { value: 2, currency: "EUR" },
              rate: { date, appUnits: 1500.5, ownUnits: 1 },
              contribution: 3001,
            },
          ],
          pagination: { hasNext: false, totalCount: 2 },
        },
        {
          part: "denominator",
          counts: { kind: "cost" },
          sum: 105,
          excluded: [],
          contributions: [
            {
              kind: "spend_row",
              requestId: uuidOf(0),
              row: 2,
              position: "1",
              date,
              channel: "partner",
              campaign: "Spring sale",
              amount: { value: 105, currency: "KRW" },
              rate: null,
              contribution: 105,
            },
          ],
          pagination: { hasNext: false, totalCount: 1 },
        },
      ],
    },
  });
  assert.match(answer.text, /"sum":3011\.5,/);
});

explaining("gives only the reason why facts of a network's small month are left out", async () => {
  const id = await reports.ended({ ...today, from: lastWeek[2], groupBys: [], metrics: ["clicks"] });
  const { json } = await explained({ row: [], metric: "clicks", size: 1 }, id);
  const { value, isMasked, parts } = (json as { data: { value: number; isMasked: boolean; parts: object[] } }).data;
  assert.equal([value, isMasked], [6, true]);
  const { contributions: _, counts: __, ...part } = parts[0] as { contributions: object[]; counts: object };
  assert.equal(part, {
    part: "value",
    sum: 6,
    excluded: [{ because: "withheld_by_partner_policy" }],
    pagination: { hasNext: true, totalCount: 6 },
  });
});

/** The value of a cell, whether it is masked, and why facts are left out of it. */
async function excludedOf(cell: object, id: string): Promise<readonly unknown[]> {
  const { json } = await explained(cell, id);
  const { value, isMasked, parts } = (json as { data: { value: number; isMasked: boolean; parts: object[] } }).data;
  return [value, isMasked, (parts[0] as { excluded: object[] }).excluded];
}
const withheld = { because: "withheld_by_partner_policy" };
const withoutRate = { because: "exchange_rate_missing", count: 1, currencies: ["USD"] };

explaining("gives no such reason for a row without a value when the facts left out belong to another row", async () => {
  const clicks = await reports.ended({ ...today, from: lastWeek[1], to: lastWeek[1], metrics: ["clicks"] });
  assert.equal(await excludedOf({ row: ["shared"], metric: "clicks" }, clicks), [1, true, [withheld]]);
  assert.equal(await excludedOf({ row: [""], metric: "clicks" }, clicks), [1, false, []]);

  const revenue = await reports.ended({ ...today, from: lastWeek[2], to: lastWeek[3], metrics: ["app_revenue"] });
  assert.equal(await excludedOf({ row: ["shared"], metric: "app_revenue" }, revenue), [10.5, true, [withheld]]);
  assert.equal(await excludedOf({ row: [""], metric: "app_revenue" }, revenue), [null, true, [withoutRate]]);
});

explaining("gives no such reason for active users without a value when another interval shows the group", async () => {
  const range = { from: lastWeek[2], to: lastWeek[3], granularity: "day", filters: [] };
  const query = { ...range, metrics: ["app_au"], groupBy: { fields: ["campaign"] } };
  const { json } = await reports.call("POST", reportPath("active_users", shop.name), { token: "owner", body: query });
  const { taskId: id } = (json as { task: { taskId: string } }).task;
  const day = zonedTimestamp(shop.timezone, startOfDay(shop.timezone, lastWeek[3] ?? ""));
  const cell = { metric: "app_au", date: day };
  await reports.runUntil(async () => (await reports.explain(id, { row: [""], ...cell })).status === 200);
  assert.equal(await excludedOf({ row: ["shared"], ...cell }, id), [0, true, [withheld]]);
  assert.equal(await excludedOf({ row: [""], ...cell }, id), [1, false, []]);
});

explaining("explains the row that has no value, and the one row of a report without group-bys", async () => {
  assert.equal((await parts({ row: [""], metric: "clicks" }))[0]?.sum, 1);
  const total = await reports.ended({ ...today, groupBys: [], metrics: ["clicks"] });
  assert.equal((await parts({ row: [], metric: "clicks" }, total))[0]?.sum, 6);
});

explaining("pages without a gap or a repetition, 50 contributions unless requested otherwise", async () => {
  const id = await reports.ended(impressions);
  const page = async (requested: object) => (await parts({ ...many, ...requested }, id))[0];
  const requested = [{}, { size: 999 }, { size: 1_000 }, { skip: 1_000, size: 1_000 }, { skip: 1_001 }];
  const pages: (Part | undefined)[] = [];
  for (const each of requested) pages.push(await page(each));
  assert.equal(
    pages.map((part) => [part?.sum, part?.contributions.length, part?.pagination]),
    [
      [1_001, 50, { hasNext: true, totalCount: 1_001 }],
      [1_001, 999, { hasNext: true, totalCount: 1_001 }],
      [1_001, 1_000, { hasNext: true, totalCount: 1_001 }],
      [1_001, 1, { hasNext: false, totalCount: 1_001 }],
      [1_001, 0, { hasNext: false, totalCount: 1_001 }],
    ],
  );
  const [, , first, second] = pages;
  const listed = [first, second].flatMap((part) => part?.contributions ?? []);
  assert.is(new Set(listed.map(({ touchpointId }) => touchpointId)).size, 1_001);
});

explaining("returns all contributions as CSV, whatever page is requested", async () => {
  const id = await reports.ended(impressions);
  const { status, headers, text } = await reports.call("POST", `${explainPath(id)}?format=csv`, {
    ...{ token: "owner", body: { ...many, skip: 1_000 } },
  });
  const lines = text.trimEnd().split("\r\n");
  assert.equal(
    [status, headers["content-type"], headers["content-disposition"], lines.length],
    [200, "text/csv; charset=utf-8; header=present", `attachment; filename="explanation-${id}.csv"`, 1_002],
  );
  assert.match(
    lines[1] ?? "",
    /^value,touchpoint,,[-0-9a-f]{36},,,\d+,,[-:.TZ0-9]+,,,,impression,,display,many,,,,,,,1$/,
  );
});

explaining("waits for rows that were lost and are computed again", async () => {
  await reports.loseRows();
  let answer: Answer | null = null;
  const answering = reports.explain(taskId, spring).then((given) => {
    answer = given;
  });
  await reports.runUntil(async () => answer !== null);
  await answering;
  assert.is((answer as Answer | null)?.status, 200);
});

const byChannel = { groupBy: { fields: ["channel"] } };
const [installed, ordered] = [uuidOf(3), uuidOf(4)];
const midnight = zonedTimestamp(shop.timezone, startOfDay(shop.timezone, yesterday));
for (const [kind, query, cell, expected] of [
  [
    "active_users",
    { from: dayBefore, to: yesterday, granularity: "day", metrics: ["app_arpu"], ...byChannel, filters: [] },
    { metric: "app_arpu", date: midnight },
    [5, 1, ["numerator", 5, [ordered, undefined, 5]], ["denominator", 1, [ordered, undefined, 1]]],
  ],
  [
    "retention",
    { ...retentionOfWeek, ...byChannel },
    { metric: "value", interval: 1 },
    [1, undefined, ["value", 1, [ordered, installed, 1]]],
  ],
  [
    "revenue",
    { ...revenueOfWeek, ...byChannel, metric: "app_arpu" },
    { metric: "app_arpu", interval: 1 },
    [5, 1, ["numerator", 5, [ordered, installed, 5]], ["denominator", 1, [installed, undefined, 1]]],
  ],
] as const) {
  explaining(`answers a cell of ${kind} with the start that each return came back after`, async () => {
    const { json } = await reports.call("POST", reportPath(kind, shop.name), { token: "owner", body: query });
    const { task, data } = json as { task?: { taskId: string }; data: { taskId: string } };
    const explain = () => reports.explain((task ?? data).taskId, { row: ["partner"], ...cell });
    await reports.runUntil(async () => (await explain()).status === 200);
    const { value, times, parts } = (
      (await explain()).json as { data: { value: number; times?: number; parts: Part[] } }
    ).data;
    const shown = parts.map(({ part, sum, contributions }) => [
      part,
      sum,
      ...contributions.map(({ eventId, startEventId, contribution }) => [eventId, startEventId, contribution]),
    ]);
    assert.equal([value, times, ...shown], expected);
  });
}

for (const [what, cell, error] of [
  ["a row of too few values", { row: [] }, ["row", "not_allowed"]],
  ["a row of too many values", { row: ["Spring sale", ""] }, ["row", "not_allowed"]],
  ["a date that is no text", { date: 1 }, ["date", "wrong_type"]],
  ["an interval that is no whole number", { interval: 0.5 }, ["interval", "wrong_type"]],
  ["a page of 1,001", { size: 1_001 }, ["size", "out_of_range"]],
  ["an unknown field", { page: 1 }, ["page", "unknown_field"]],
] as const) {
  explaining(`rejects ${what}`, async () => {
    const problem = problemOf(await reports.explain(taskId, { ...spring, ...cell }));
    assert.equal(problem, { status: 400, code: "VALIDATION_FAILED", errors: [["body", ...error]] });
  });
}

explaining("rejects a task that has not succeeded", async () => {
  const unfinished = { status: 409, code: "REPORT_NOT_SUCCEEDED", errors: [] };
  const open = await reports.requested(today);
  assert.equal(problemOf(await reports.explain(open, spring)), unfinished);
  await reports.cancel(open);
  assert.equal(problemOf(await reports.explain(open, spring)), unfinished);
});

explaining("rejects a cell to which the facts do not add up any more", async () => {
  const change = () => reports.tasks.db.raw("update facts.touchpoints set human = not human");
  await change();
  const answers = [await reports.explain(taskId, spring), await reports.explain(taskId, { ...spring, metric: "roas" })];
  await change();
  const notReproduced = { status: 409, code: "REPORT_NOT_REPRODUCED", errors: [] };
  assert.equal(problemOf(answers[0] as Answer), notReproduced);
  assert.is(answers[1]?.status, 200, "its numerator and denominator are no clicks");
  assert.is((await reports.explain(taskId, spring)).status, 200);
});

explaining("responds with 503 while four other cells are explained", async () => {
  const unlock = await reports.lockFacts();
  const explained = Array.from({ length: 5 }, () => reports.explain(taskId, spring));
  const first = problemOf(await Promise.race(explained));
  await unlock();
  assert.equal([first.status, first.code], [503, "OVERLOADED"]);
  assert.equal((await Promise.all(explained)).map(({ status }) => status).sort(), [200, 200, 200, 200, 503]);
});

explaining("responds with 503 when it takes too long", async () => {
  const unlock = await reports.lockFacts();
  reports.circumstances.timeoutMs = 20;
  const answer = problemOf(await reports.explain(taskId, spring));
  reports.circumstances.timeoutMs = 60_000;
  await unlock();
  assert.equal([answer.status, answer.code, reports.failures], [503, "EXPLANATION_TOO_SLOW", []]);
});

explaining.run();
