import { parse } from "csv-parse/sync";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays, startOfDay, zonedTimestamp } from "../../../../domain/values/local-time.ts";
import { shop } from "../../../examples/app.ts";
import { did } from "../../../projections/reports/active-users/examples.ts";
import { clickOn } from "../../../support/reports/campaign-clicks.ts";
import { lastWeek, type Reports, startReports } from "../../../support/reports/report-application.ts";

const [first = "", second = ""] = lastWeek;
const label = (campaign: string | null) => ({ source: clickOn("partner", campaign).source, kind: "click" as const });
const appEvents = [
  did("app_open", `${first}T00:00`, 1, { label: label("=SUM(A1)") }),
  did("app_order_complete", `${first}T05:00`, 2, { cents: 1_001, label: label("=SUM(A1)") }),
  did("app_order_cancel", `${second}T00:00`, 1, { cents: 50, label: label(null) }),
];
const body = {
  from: first,
  to: second,
  granularity: "day",
  metrics: ["app_au", "app_arpu", "app_arppu", "app_revenue"],
  groupBy: { fields: ["campaign"] },
  filters: [],
};

interface Page {
  readonly task: { readonly endedAt: string; readonly asOfPosition: string };
  readonly activeUsers: { readonly data: readonly { readonly rows: readonly { readonly date: string }[] }[] };
  readonly pagination: object;
}

let reports: Reports;
let taskId = "";
const reading = suite("reading an active users report");
reading.before(async () => {
  reports = await startReports(`/reports/api/v4/apps/${shop.name}/active-users/query`);
  await reports.writeFacts({ touchpoints: [], appEvents });
  taskId = await reports.ended(body);
});
reading.after(() => reports.close());

const midnight = (date: string) => zonedTimestamp(shop.timezone, startOfDay(shop.timezone, date));
const days = [0, 1].map((day) => `${midnight(addDays(first, day))}/${midnight(addDays(first, day + 1))}`);
const page = async (query: string, id = taskId): Promise<Page> => {
  const answer = await reports.read(id, query);
  assert.is(answer.status, 200, answer.text);
  return answer.json as Page;
};

reading("returns every interval of every group, also empty ones", async () => {
  const answer = await reports.read(taskId);
  const { task } = answer.json as Page;
  const nothing = { app_au: 0, app_arpu: null, app_arppu: null, app_revenue: 0 };
  assert.equal(answer.json, {
    task: { status: "SUCCESS", taskId, endedAt: task.endedAt, asOfPosition: task.asOfPosition },
    activeUsers: {
      data: [
        {
          rows: [
            { date: days[0], values: { app_au: 2, app_arpu: 5.005, app_arppu: 10.01, app_revenue: 10.01 } },
            { date: days[1], values: nothing },
          ],
          groupBys: ["=SUM(A1)"],
        },
        {
          rows: [
            { date: days[0], values: nothing },
            { date: days[1], values: { app_au: 1, app_arpu: -0.5, app_arppu: null, app_revenue: -0.5 } },
          ],
          groupBys: [""],
        },
      ],
    },
    pagination: { hasNext: false, totalCount: 2 },
    notifications: [],
  });
  assert.match(answer.text, /"app_revenue":10\.01\}/);
});

reading("pages the intervals within each group", async () => {
  const pages = await Promise.all([0, 1, 2].map((skip) => page(`?skip=${skip}&size=1`)));
  assert.equal(
    pages.map(({ activeUsers }) => activeUsers.data.map(({ rows }) => rows.map(({ date }) => date))),
    [
      [[days[0]], [days[0]]],
      [[days[1]], [days[1]]],
      [[], []],
    ],
  );
  assert.equal(
    pages.map(({ pagination }) => pagination),
    [true, false, false].map((hasNext) => ({ hasNext, totalCount: 2 })),
  );
});

reading("takes pages of 1 to 100 intervals, 50 by default", async () => {
  const minutes = await reports.ended({ ...body, to: first, granularity: "minute", groupBy: { fields: [] } });
  for (const [query, count] of [
    ["", 50],
    ["?size=99", 99],
    ["?size=100&skip=1340", 100],
    ["?size=100&skip=1341", 99],
  ] as const) {
    const { activeUsers, pagination } = await page(query, minutes);
    assert.is(activeUsers.data[0]?.rows.length, count, query);
    assert.equal(pagination, { hasNext: !query.includes("skip"), totalCount: 1_440 });
  }
});

reading("returns the whole result as CSV, a line for each interval of each group, formulas neutralised", async () => {
  const answer = await reports.read(taskId, "?format=csv&size=1&skip=1");
  assert.is(answer.status, 200);
  assert.match(String(answer.headers["content-type"]), /^text\/csv; charset=utf-8/);
  assert.match(
    String(answer.headers["content-disposition"]),
    /^attachment; filename="active-users-[0-9a-f-]{36}\.csv"$/,
  );
  assert.equal(parse(answer.text), [
    ["campaign", "date", ...body.metrics],
    ["'=SUM(A1)", days[0], "2", "5.005", "10.01", "10.01"],
    ["'=SUM(A1)", days[1], "0", "", "", "0"],
    ["", days[0], "0", "", "", "0"],
    ["", days[1], "1", "-0.5", "", "-0.5"],
  ]);
  const minutes = await reports.ended({ ...body, granularity: "minute", groupBy: { fields: [] } });
  assert.is(parse((await reports.read(minutes, "?format=csv")).text).length, 1 + 2_880);
});

reading("notifies a media partner that its data is filtered", async () => {
  const answer = await reports.read(await reports.ended(body, "partner"), "", "partner");
  const { notifications } = answer.json as { readonly notifications: readonly { readonly code: string }[] };
  assert.equal(
    notifications.map(({ code }) => code),
    ["MEDIA_PARTNER_DATA_FILTERED_BY_CHANNEL"],
  );
  assert.is((await reports.read(taskId, "", "partner")).status, 404);
});

reading.run();
