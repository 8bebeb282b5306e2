import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startOfDay } from "../../../../domain/values/local-time.ts";
import { shop } from "../../../examples/app.ts";
import { spend, spring } from "../../../projections/reports/actuals/advertising.ts";
import type { Source } from "../../../projections/reports/facts.ts";
import { happened, opened } from "../../../projections/reports/retention/examples.ts";
import { paid } from "../../../projections/reports/revenue/examples.ts";
import { noUploads } from "../../../projections/reports/uploads.ts";
import { cohortReports, revenueOfWeek } from "../../../support/reports/cohort-requests.ts";
import { lastWeek, type Reports, startReports } from "../../../support/reports/report-application.ts";

const [, , , , first = "", yesterday = ""] = lastWeek;
const on = (date: string, hours: number): string =>
  new Date(startOfDay(shop.timezone, date) + hours * 3_600_000).toISOString();
const label = (channel: string): { source: Source; kind: "click" } => ({
  source: { ...spring, channel },
  kind: "click",
});

let reports: Reports;
let revenue: ReturnType<typeof cohortReports>;
const report = suite("a revenue report, from its request to its response");
report.before(async () => {
  reports = await startReports();
  revenue = cohortReports(reports, "revenue");
  await reports.writeFacts({
    touchpoints: [],
    appEvents: [
      happened(on(first, 10), { device: 1, label: label("partner") }),
      happened(on(first, 11), { device: 2, label: label("partner") }),
      paid(on(first, 12), 1, 1_000),
      paid(on(yesterday, 12), 1, 500),
      happened(on(yesterday, 1), { device: 3, label: label("=kakao") }),
      paid(on(yesterday, 2), 3, 250),
      opened(on(yesterday, 3), 4),
      paid(on(yesterday, 4), 4, 250),
      paid(on(yesterday, 5), 4, 100, { currency: "EUR" }),
      opened(on(yesterday, 3), 5, { label: label("foreign") }),
      paid(on(yesterday, 5), 5, 100, { currency: "EUR" }),
    ],
    uploads: { ...noUploads, spend: [{ ...spend, date: first, cents: 600, from: 1 }] },
  });
});
report.after(() => reports.close());

const cell = (value: number | null, isMasked = false) => ({ value, isMasked });
const line = (users: number, earned: number, cost: number | null, values: readonly (number | null)[]) => ({
  totals: { totalCost: cell(cost), totalRevenue: cell(earned), totalUniqueUsers: cell(users) },
  values: values.map((value) => cell(value)),
});
const group = (metadata: readonly string[], date: string, of: ReturnType<typeof line>) => ({
  rows: [{ date, total: of.totals, values: of.values }],
  total: { ...of.totals, values: of.values },
  metadata,
});
/** Intervals that have begun for the day before yesterday, of seven; and for yesterday. */
const ofPartner = group(["partner"], first, line(2, 15, 6, [10, 15, 15, null, null, null, null]));
const ofKakao = group(["=kakao"], yesterday, line(1, 2.5, null, [2.5, 2.5, null, null, null, null, null]));
const byChannel = { ...revenueOfWeek, groupBy: { fields: ["channel"] } };

report("has groups with their blocks, the largest revenue first", async () => {
  const taskId = await revenue.ended(byChannel);
  const { json, headers } = await revenue.read(taskId);
  const { data } = json as { data: { endedAt: string; asOfPosition: string } };
  assert.match(String(headers["content-type"]), "application/json");
  assert.ok(Date.parse(data.endedAt) > 0);
  assert.match(data.asOfPosition, /^\d+$/);
  assert.equal(json, {
    data: {
      stats: { rows: [ofPartner, ofKakao] },
      status: "SUCCESS",
      taskId,
      endedAt: data.endedAt,
      asOfPosition: data.asOfPosition,
      hasNext: false,
      metadata: { totalCount: 2 },
    },
    notification: [],
  });
});

report("is paged by groups, 1 to 100 of them", async () => {
  const taskId = await revenue.ended(byChannel);
  const page = async (query: string) => {
    const { data } = (await revenue.read(taskId, query)).json as {
      data: { stats: { rows: { metadata: string[] }[] }; hasNext: boolean; metadata: { totalCount: number } };
    };
    return [data.stats.rows.map(({ metadata }) => metadata[0]), data.hasNext, data.metadata.totalCount];
  };
  assert.equal(await page("?size=1"), [["partner"], true, 2]);
  assert.equal(await page("?skip=1&size=1"), [["=kakao"], false, 2]);
  assert.equal(await page("?skip=2"), [[], false, 2]);
  assert.equal(await page("?size=100"), [["partner", "=kakao"], false, 2]);
});

report("is the whole of it as CSV, a line for each group and each of its blocks", async () => {
  const taskId = await revenue.ended(byChannel);
  const { status, text, headers } = await revenue.read(taskId, "?format=csv&size=1");
  assert.is(status, 200);
  assert.match(String(headers["content-type"]), "text/csv");
  assert.match(String(headers["content-disposition"]), `revenue-${taskId}.csv`);
  assert.equal(text.split("\r\n"), [
    "channel,date,totalUniqueUsers,totalRevenue,totalCost,day_0,day_1,day_2,day_3,day_4,day_5,day_6",
    "partner,,2,15,6,10,15,15,,,,",
    `partner,${first},2,15,6,10,15,15,,,,`,
    "'=kakao,,1,2.5,,2.5,2.5,,,,,",
    `'=kakao,${yesterday},1,2.5,,2.5,2.5,,,,,`,
    "",
  ]);
});

report("marks masked cells of its CSV as lower bounds if requested", async () => {
  const taskId = await revenue.ended({ ...byChannel, startEvents: ["app_deeplink_open"], from: yesterday });
  const linesOf = async (query: string) => (await revenue.read(taskId, query)).text.split("\r\n").slice(1, -1);
  assert.equal(await linesOf("?format=csv"), [
    "partner,,1,2.5,,2.5,2.5",
    `partner,${yesterday},1,2.5,,2.5,2.5`,
    "foreign,,1,,,,",
    `foreign,${yesterday},1,,,,`,
  ]);
  assert.equal(await linesOf("?format=csv&viewFormat=true"), [
    "partner,,1,2.5+,,2.5+,2.5+",
    `partner,${yesterday},1,2.5+,,2.5+,2.5+`,
    "foreign,,1,0+,,0+,0+",
    `foreign,${yesterday},1,0+,,0+,0+`,
  ]);
});

report("ends its CSV with a requested total, which counts each device once", async () => {
  const body = { ...byChannel, metric: "app_user_count", resultSpec: { csv: { includesTotal: true } } };
  const taskId = await revenue.ended(body);
  const total = async () => (await revenue.read(taskId, "?format=csv")).text.split("\r\n").at(-2);
  assert.is(await total(), ",total,3,17.5,6,2,2,1,,,,");
  await reports.loseRows();
  await reports.runUntil(async () => (await revenue.read(taskId)).status === 200);
  assert.is(await total(), ",total,3,17.5,6,2,2,1,,,,");
});

report("is an empty list without start events", async () => {
  const filters = [{ field: "channel", filterType: "IN", values: ["none"] }];
  const { json } = await revenue.read(await revenue.ended({ ...byChannel, filters }));
  const { data, notification } = json as { data: { stats: unknown }; notification: unknown };
  assert.equal([data.stats, notification], [{ rows: [] }, []]);
});

report("has a notification of why it failed", async () => {
  reports.circumstances.timeoutMs = 1;
  const taskId = await revenue.ended(byChannel);
  reports.circumstances.timeoutMs = 60_000;
  const { data, notification } = (await revenue.read(taskId)).json as {
    data: { status: string; stats?: unknown };
    notification: { code: string }[];
  };
  assert.equal([data.status, data.stats, notification[0]?.code], ["FAILURE", undefined, "REPORT_TOO_SLOW"]);
});

report.run();
