import { suite } from "uvu";
import * as assert from "uvu/assert";
import { failureNotifications } from "../../../../domain/reporting/notifications.ts";
import { addDays } from "../../../../domain/values/local-time.ts";
import { notificationsIn } from "../../../../infra/http/i18n/messages.ts";
import { shop } from "../../../examples/app.ts";
import { spring } from "../../../projections/reports/actuals/advertising.ts";
import type { AppEvent } from "../../../projections/reports/facts.ts";
import { happened, opened, ordered } from "../../../projections/reports/retention/examples.ts";
import { cohortReports, retentionOfWeek } from "../../../support/reports/cohort-requests.ts";
import { lastWeek, type Reports, startReports } from "../../../support/reports/report-application.ts";

const [monday = "", , , threeDaysAgo = "", , yesterday = "", today = ""] = lastWeek;
const at = (date: string, time: string): string => `${date}T${time}+09:00`;
const of = (channel: string): Partial<AppEvent> => ({
  label: { source: { ...spring, channel }, kind: "click" },
  from: 0,
});
/** An install a minute for 20 days: with 181 intervals each, one more than a result has cells for. */
const oftenInstalled: readonly AppEvent[] = Array.from({ length: 27_624 }, (_, index) => {
  const moment = new Date(Date.parse(at(monday, "00:00:00")) - (index + 1) * 60_000).toISOString();
  return happened(moment, { device: 100 + index, from: 0 }, shop.timezone);
});

/** Devices that opened a deeplink on a date, some of which ordered on the next. */
const opening = (date: string, first: number, size: number, back: number): readonly AppEvent[] =>
  Array.from({ length: size }, (_, index) => [
    opened(at(date, "00:00:00"), first + index, of("partner")),
    ...(index < back ? [ordered(at(addDays(date, 1), "00:00:00"), first + index, { from: 0 })] : []),
  ]).flat();

let reports: Reports;
let retention: ReturnType<typeof cohortReports>;
const reading = suite("reading a retention report");
reading.before(async () => {
  reports = await startReports();
  retention = cohortReports(reports, "retention");
  await reports.writeFacts({
    touchpoints: [],
    appEvents: [
      happened(at(yesterday, "00:00:01"), { device: 1, ...of("=kakao") }),
      happened(at(yesterday, "00:00:02"), { device: 2, ...of("=kakao") }),
      happened(at(yesterday, "00:00:03"), { device: 3, ...of("twitter") }),
      happened(at(yesterday, "00:00:04"), { device: 4, ...of("partner") }),
      ordered(at(yesterday, "00:00:05"), 1, { from: 0 }),
      ordered(at(today, "00:00:00"), 2, { from: 0 }),
      ...oftenInstalled,
      ...opening(threeDaysAgo, 30_000, 100, 40),
      ...opening(yesterday, 30_100, 50, 10),
      ...opening(today, 30_150, 80, 0),
    ],
  });
});
reading.after(() => reports.close());

const byChannel = { ...retentionOfWeek, from: yesterday, groupBy: { fields: ["channel"] } };
const cell = (value: number | null, rate: number | null, isMasked = false) => ({ value, rate, isMasked });
const group = (channel: string, startUsers: object, values: readonly object[], nextDay: readonly object[]) => ({
  groupBys: [channel],
  total: { startUsers, values },
  rows: [{ date: yesterday, startUsers, values: nextDay }],
});
const partner = () => {
  const values = [cell(0, 0), cell(0, 0)];
  return group("partner", { value: 1, isMasked: false }, values, values);
};

reading("returns groups with their sub-rows, rates and masks", async () => {
  const taskId = await retention.ended(byChannel);
  const { json } = await retention.read(taskId);
  const { task, ...rest } = json as { task: { status: string } };
  assert.is(task.status, "SUCCESS");
  const half = [cell(1, 0.5), cell(1, 0.5)];
  const hidden = [cell(null, null, true), cell(null, null, true)];
  const rows = [
    group("=kakao", { value: 2, isMasked: false }, half, half),
    partner(),
    // Withheld as a whole: no sub-row is answered, so that none can be counted.
    { ...group("twitter", { value: null, isMasked: true }, hidden, hidden), rows: [] },
  ];
  const { notifications, ...answer } = rest as { notifications: { code: string }[] };
  assert.equal(answer, {
    retention: { data: { rows }, metadata: { rowCount: 3, granularity: "day", intervals: 2 } },
    pagination: { hasNext: false, totalCount: 3 },
  });
  assert.equal([notifications.length, notifications[0]?.code], [1, "AGG_DATA_MASKING_BY_PARTNER"]);
});

reading("returns rates of the starts whose interval has begun: 50 of 150", async () => {
  const query = { ...retentionOfWeek, from: threeDaysAgo, startEvent: ["app_deeplink_opens"] };
  const { json } = await retention.read(await retention.ended(query));
  const { rows } = (json as { retention: { data: { rows: readonly object[] } } }).retention.data;
  const users = (value: number) => ({ value, isMasked: false });
  const [none, notBegun] = [cell(0, 0), cell(null, null)];
  assert.equal(rows, [
    {
      groupBys: [],
      total: { startUsers: users(230), values: [none, cell(50, 50 / 150), none, none] },
      rows: [
        { date: threeDaysAgo, startUsers: users(100), values: [none, cell(40, 0.4), none, none] },
        { date: yesterday, startUsers: users(50), values: [none, cell(10, 0.2), notBegun, notBegun] },
        { date: today, startUsers: users(80), values: [none, notBegun, notBegun, notBegun] },
      ],
    },
  ]);
});

reading("has the pages of the request unless the GET has others", async () => {
  const taskId = await retention.ended({ ...byChannel, keyword: "A", pagination: { skip: 1, size: 1 } });
  const page = async (query: string) => {
    const { json } = await retention.read(taskId, query);
    const { retention: read, pagination } = json as {
      retention: { data: { rows: { groupBys: string[] }[] }; metadata: { rowCount: number } };
      pagination: object;
    };
    assert.is(read.metadata.rowCount, 3);
    return [read.data.rows.flatMap(({ groupBys }) => groupBys), pagination];
  };
  assert.equal(await page(""), [["partner"], { hasNext: false, totalCount: 2 }]);
  assert.equal(await page("?skip=0"), [["=kakao"], { hasNext: true, totalCount: 2 }]);
  assert.equal(await page("?skip=0&size=100"), [["=kakao", "partner"], { hasNext: false, totalCount: 2 }]);
  assert.equal(await page("?keyword=TWIT&skip=0"), [["twitter"], { hasNext: false, totalCount: 1 }]);
  assert.equal(await page("?keyword="), [["partner"], { hasNext: true, totalCount: 3 }]);
});

reading("returns all rows as CSV: a line for each group, without a date, and for its sub-rows", async () => {
  const taskId = await retention.ended({ ...byChannel, pagination: { skip: 0, size: 1 } });
  const { text, headers } = await retention.read(taskId, "?format=csv");
  assert.is(headers["content-type"], "text/csv; charset=utf-8; header=present");
  assert.is(headers["content-disposition"], `attachment; filename="retention-${taskId}.csv"`);
  assert.equal(text.split("\r\n"), [
    "channel,date,startUsers,value_0,rate_0,value_1,rate_1",
    "'=kakao,,2,1,0.5,1,0.5",
    `'=kakao,${yesterday},2,1,0.5,1,0.5`,
    "partner,,1,0,0,0,0",
    `partner,${yesterday},1,0,0,0,0`,
    "twitter,,,,,,",
    "",
  ]);
});

reading("fails when one group has more cells than a result may have", async () => {
  const from = oftenInstalled.at(-1)?.date;
  const taskId = await retention.ended({ ...retentionOfWeek, from, granularity: "minute" });
  const { task, notifications } = (await retention.read(taskId)).json as {
    task: { status: string };
    notifications: object;
  };
  assert.equal([task.status, notifications], ["FAILURE", notificationsIn("en", [failureNotifications.too_large])]);
});

reading("is the same, byte for byte, as of the same position, or after its rows were lost", async () => {
  const taskId = await retention.ended(byChannel);
  const read = async (id: string): Promise<string> =>
    (await retention.read(id)).text.replace(id, "").replace(/"(endedAt|asOfPosition)":"[^"]*"/g, "");
  const first = await read(taskId);
  const { task } = (await retention.read(taskId)).json as { task: { asOfPosition: string } };
  await retention.ended({ ...byChannel, from: monday });
  assert.is(await read(await retention.ended({ ...byChannel, asOf: task.asOfPosition })), first);
  await reports.loseRows();
  let again = "";
  await reports.runUntil(async () => {
    again = await read(taskId);
    return again.includes("SUCCESS");
  });
  assert.is(again, first);
});

reading.run();
