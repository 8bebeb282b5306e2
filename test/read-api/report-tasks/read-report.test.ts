import { parse } from "csv-parse/sync";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { languages } from "../../../domain/values/language.ts";
import { textOf } from "../../../infra/http/i18n/messages.ts";
import { requestedRows } from "../../../projections/reports/results/stored-rows.ts";
import { reportRequestReader } from "../../../read-api/report-tasks/find-task.ts";
import { shop } from "../../examples/app.ts";
import type { AppEvent } from "../../projections/reports/facts.ts";
import { clickOn, threeCampaigns } from "../../support/reports/campaign-clicks.ts";
import { clicksByCampaign, lastWeek, type Reports, startReports } from "../../support/reports/report-application.ts";

const { client, date, source } = clickOn("partner", "Spring sale");
const order: AppEvent = {
  appId: shop.appId,
  from: 2,
  to: null,
  date,
  hour: 1,
  client,
  sentFrom: "app",
  category: "app_order_complete",
  device: 1,
  cents: 1050,
  currency: shop.currency,
  label: { source, kind: "click" },
  isFirstOfDevice: true,
  isFirstOfUser: null,
};
const foreignOrder: AppEvent = { ...order, currency: "EUR" };
const unattributed: AppEvent = { ...foreignOrder, label: null };

/** What the reports are about, unless they say otherwise. */
const today = { ...clicksByCampaign, from: lastWeek[6] };
const impressionsOfADayBefore = Array.from({ length: 101 }, (_, index) => {
  return { ...clickOn("display", `campaign ${index}`), kind: "impression", date: lastWeek[0] ?? "" } as const;
});
/** Their sum is beyond any number of JavaScript. */
const hugeOrders = Array.from({ length: 200 }, (_, index) => ({ ...order, device: index, cents: 1e308 }));
const ordersOfADayBefore: readonly AppEvent[] = [
  ...[...hugeOrders, { ...order, cents: 50 }].map((of) => ({ ...of, client: { ...client, country: "JP" } })),
  { ...order, category: "app_order_cancel", client: { ...client, country: "FR" } },
].map((of) => ({ ...of, date: lastWeek[1] ?? "" }));
/** Their sum is negative, and lacks the foreign one. */
const cancelled: readonly AppEvent[] = [{ ...order, category: "app_order_cancel" }, foreignOrder].map((of) => ({
  ...of,
  date: lastWeek[4] ?? "",
}));

interface Page {
  readonly task: { readonly status: string; readonly asOfPosition: string; readonly endedAt: string };
  readonly actuals: {
    readonly data: { readonly rows: readonly { readonly groupBys: string[]; readonly values: object }[] };
    readonly metadata: object;
  };
  readonly pagination: { readonly hasNext: boolean; readonly totalCount: number };
  readonly notifications: readonly { readonly code: string }[];
}

let reports: Reports;
let taskId = "";
const reading = suite("reading an actuals report");
reading.before(async () => {
  reports = await startReports();
  await reports.writeFacts({
    touchpoints: [...threeCampaigns.touchpoints, ...impressionsOfADayBefore],
    appEvents: [order, foreignOrder, unattributed, ...ordersOfADayBefore, ...cancelled],
  });
  taskId = await reports.ended(today);
});
reading.after(() => reports.close());

const page = async (query = "", id = taskId): Promise<Page> => {
  const answer = await reports.read(id, query);
  assert.is(answer.status, 200, answer.text);
  return answer.json as Page;
};
const clicks = (value: number): object => ({ clicks: { value, isMasked: false, viewFormat: null } });

reading("returns task, rows, counts and notifications", async () => {
  const answer = await reports.read(taskId);
  const { task } = answer.json as Page;
  assert.equal(answer.json, {
    task: { status: "SUCCESS", taskId, endedAt: task.endedAt, asOfPosition: task.asOfPosition },
    actuals: {
      data: {
        rows: [
          { values: clicks(3), groupBys: ["Spring sale"] },
          { values: clicks(2), groupBys: ['=SUM(A1), "quoted"'] },
          { values: clicks(1), groupBys: [""] },
        ],
      },
      metadata: { rowCount: 3 },
    },
    pagination: { hasNext: false, totalCount: 3 },
    notifications: [],
  });
  assert.match(task.endedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.match(task.asOfPosition, /^\d+$/);
  assert.is(answer.headers["content-type"], "application/json; charset=utf-8");
});

reading("marks incomplete cells, and shows how as a lower bound", async () => {
  const metrics = ["clicks", "app_revenue", "ctr", 'custom:"level" \\ up'];
  const masked = await reports.ended({ ...today, groupBys: ["channel"], metrics });
  const shown = await page("?viewFormat=true", masked);
  const plain = { isMasked: false, viewFormat: null };
  const none = { ctr: { value: null, ...plain }, [metrics[3] ?? ""]: { value: 0, ...plain } };
  assert.equal(shown.actuals.data.rows, [
    {
      groupBys: ["partner"],
      values: {
        clicks: { value: 5, ...plain },
        app_revenue: { value: 10.5, isMasked: true, viewFormat: "10.5+" },
        ...none,
      },
    },
    {
      groupBys: ["kakao"],
      values: { clicks: { value: 1, ...plain }, app_revenue: { value: 0, ...plain }, ...none },
    },
    {
      groupBys: ["unattributed"],
      values: {
        clicks: { value: 0, ...plain },
        app_revenue: { value: null, isMasked: true, viewFormat: "0+" },
        ...none,
      },
    },
  ]);
  assert.equal(
    shown.notifications.map(({ code }) => code),
    ["EXCHANGE_RATE_MISSING"],
  );
  assert.match((await reports.read(masked)).text, /"value":10.5,"isMasked":true,"viewFormat":null/);
});

reading("has every digit of a sum, however large, and its sign", async () => {
  const revenue = {
    ...clicksByCampaign,
    from: lastWeek[1],
    to: lastWeek[1],
    groupBys: ["country"],
    metrics: ["app_revenue"],
  };
  const id = await reports.ended(revenue);
  const huge = `${"2".padEnd(309, "0")}.5`;
  const values = [...(await reports.read(id)).text.matchAll(/"value":([^,]*),"isMasked":false/g)];
  assert.equal(
    values.map(([, value]) => value),
    [huge, "-10.5"],
  );
  assert.is((await reports.read(id, "?format=csv")).text, `country,app_revenue\r\nJP,${huge}\r\nFR,-10.5\r\n`);
});

reading("pages without a gap or a repetition", async () => {
  const pages = await Promise.all([0, 1, 2, 3].map((skip) => page(`?skip=${skip}&size=1`)));
  assert.equal(
    pages.map(({ actuals }) => actuals.data.rows.flatMap(({ groupBys }) => groupBys)),
    [["Spring sale"], ['=SUM(A1), "quoted"'], [""], []],
  );
  assert.equal(
    pages.map(({ pagination }) => pagination),
    [true, true, false, false].map((hasNext) => ({ hasNext, totalCount: 3 })),
  );
  assert.equal((await page("?skip=1&size=100")).pagination, { hasNext: false, totalCount: 3 });
});

reading("returns 50 rows unless requested otherwise, and at most 100", async () => {
  const impressions = { ...clicksByCampaign, metrics: ["impressions"], to: lastWeek[0] };
  const many = await reports.ended(impressions);
  const rowsOf = async (query: string): Promise<number> => (await page(query, many)).actuals.data.rows.length;
  assert.equal(await Promise.all(["", "?size=100", "?size=100&skip=100"].map(rowsOf)), [50, 100, 1]);
  assert.equal((await page("?size=100", many)).pagination, { hasNext: true, totalCount: 101 });
});

reading("keeps rows that contain the keyword, whatever its case", async () => {
  const counts = async (keyword: string) => {
    const { actuals, pagination } = await page(`?keyword=${encodeURIComponent(keyword)}`);
    return [actuals.data.rows.length, pagination.totalCount, actuals.metadata];
  };
  assert.equal(await counts("sPRING"), [1, 1, { rowCount: 3 }]);
  assert.equal((await page("?keyword=s&size=1")).pagination, { hasNext: true, totalCount: 2 });
  assert.equal((await page("?keyword=s&size=1&skip=1")).pagination, { hasNext: false, totalCount: 2 });
  assert.equal((await page("?keyword=s&skip=5")).pagination, { hasNext: false, totalCount: 2 });
});

reading("returns the whole result as CSV, formulas neutralised", async () => {
  const query = { ...today, groupBys: ["campaign", "channel"], metrics: ["clicks", "app_revenue", "ctr"] };
  const answer = await reports.read(await reports.ended(query), "?format=csv&size=1");
  assert.is(answer.status, 200);
  assert.match(String(answer.headers["content-type"]), /^text\/csv; charset=utf-8/);
  assert.match(String(answer.headers["content-disposition"]), /^attachment; filename="actuals-[0-9a-f-]{36}\.csv"$/);
  assert.ok(answer.text.endsWith("\r\n"));
  assert.equal(parse(answer.text), [
    ["campaign", "channel", "clicks", "app_revenue", "ctr"],
    ["Spring sale", "partner", "3", "10.5", ""],
    ['\'=SUM(A1), "quoted"', "partner", "2", "0", ""],
    ["", "kakao", "1", "0", ""],
    ["", "unattributed", "0", "", ""],
  ]);
});

reading("marks masked cells of its CSV as lower bounds if requested", async () => {
  const of = async (query: object) =>
    (await reports.read(await reports.ended({ ...today, ...query }), "?format=csv&viewFormat=true")).text;
  assert.is(
    await of({ groupBys: ["channel"], metrics: ["clicks", "app_revenue"] }),
    "channel,clicks,app_revenue\r\npartner,5,10.5+\r\nkakao,1,0\r\nunattributed,0,0+\r\n",
  );
  assert.is(
    await of({ from: lastWeek[4], to: lastWeek[4], groupBys: ["channel"], metrics: ["app_revenue"] }),
    "channel,app_revenue\r\npartner,-10.5+\r\n",
  );
});

reading("quotes the only cell of a line of CSV that is empty: many readers skip empty lines", async () => {
  const csvOf = async (metrics: readonly string[]) =>
    (await reports.read(await reports.ended({ ...today, groupBys: [], metrics }), "?format=csv")).text;
  assert.is(await csvOf(["ctr"]), 'ctr\r\n""\r\n');
  assert.is(await csvOf(["ctr", "clicks"]), "ctr,clicks\r\n,6\r\n");
});

reading("shows notifications in the language of each reader, and nothing else", async () => {
  const id = await reports.ended({ ...today, groupBys: [], metrics: ["app_revenue"] });
  const missing = { code: "EXCHANGE_RATE_MISSING", params: { rates: `EUR (${today.from})` } };
  const path = `/reports/api/v7/apps/${shop.name}/actuals/query/${id}`;
  for (const language of languages) {
    const headers = { "Accept-Language": language, "X-Min-Position": "0" };
    const { json } = await reports.call("GET", path, { token: "owner", headers });
    const notifications = [{ code: missing.code, type: "WARNING", message: textOf(missing, language) }];
    assert.equal(json, { ...(await page("", id)), notifications });
  }
});

reading("finds the request of a task in the log, which has it before the read model", async () => {
  const requestOf = reportRequestReader(reports.log);
  const request = await requestOf(taskId);
  assert.equal([request?.appId, request?.onlyChannels], [shop.appId, null]);
  assert.is(await requestOf("00000000-0000-8000-8000-000000000000"), null);
});

reading("responds with 404 for a task of another app or partner", async () => {
  const ofPartner = await reports.ended(today, "partner");
  const seen = await reports.read(ofPartner, "", "partner");
  assert.equal(
    (seen.json as Page).notifications.map(({ code }) => code),
    ["MEDIA_PARTNER_DATA_FILTERED_BY_CHANNEL"],
  );
  for (const [id, token, status] of [
    [taskId, "agency", 200],
    [ofPartner, "owner", 200],
    [taskId, "partner", 404],
    [ofPartner, "otherPartner", 404],
    [taskId.toUpperCase(), "owner", 200],
    ["00000000-0000-8000-8000-000000000000", "owner", 404],
    ["not-a-task", "owner", 404],
    ["%27", "owner", 404],
  ] as const) {
    assert.is((await reports.read(id, "", token)).status, status, `${id} for ${token}`);
  }
});

reading("responds with 503 while lost rows are computed again", async () => {
  const lost = await reports.ended({ ...clicksByCampaign, from: lastWeek[3] });
  await reports.loseRows();
  const answer = await reports.read(lost);
  assert.is(answer.status, 503);
  assert.ok(Number(answer.headers["retry-after"]) > 0);
  assert.is((answer.json as { code: string }).code, "REPORT_ROWS_BEING_COMPUTED");
  assert.equal(reports.failures, []);
});

reading("responds with 409 when the report has other rows when it is computed again", async () => {
  const ended = await reports.ended({ ...clicksByCampaign, from: lastWeek[2] });
  await reports.loseRows();
  await reports.tasks.db.raw("insert into work.results (task_id, rows_hash) values (?, 'of other rows')", [ended]);
  const answer = await reports.read(ended);
  assert.is(answer.status, 409);
  assert.is((answer.json as { code: string }).code, "REPORT_NOT_REPRODUCED");
});

reading("responds with 409 when rows are lost whose moment the log lacks, and explains none of it", async () => {
  const first = await reports.ended(today);
  const { asOfPosition } = (await page("", first)).task;
  const ended = await reports.ended({ ...today, asOf: asOfPosition });
  const before = await page("", ended);
  reports.circumstances.positionOf = async () => null;
  assert.equal((await page("", ended)).actuals, before.actuals);
  const explained = await reports.explain(ended, { row: ["Spring sale"], metric: "clicks" });
  await reports.loseRows();
  const read = await reports.read(ended);
  for (const { status, json } of [explained, read]) {
    assert.equal([status, (json as { code: string }).code], [409, "REPORT_NOT_REPRODUCED"]);
  }
  assert.equal(await requestedRows(reports.tasks.db, 10), []);
});

reading.run();
