import { suite } from "uvu";
import * as assert from "uvu/assert";
import { registeredApp } from "../../../domain/apps/registered-app.ts";
import { reports } from "../../../infra/composition/report-modules.ts";
import type { ReportTaskRow } from "../../../projections/report-tasks/queries.ts";
import type { StoredResults } from "../../../projections/reports/results/result-pages.ts";
import { reportTaskReadRoutes } from "../../../read-api/report-tasks/read-route.ts";
import { clickOn } from "../../commands/report-tasks/advertising.ts";
import { clicksByCampaign, lastWeek, type Reports, startReports } from "../../commands/report-tasks/reports.ts";
import { shop } from "../../examples/app.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";

const today = lastWeek[6] ?? "";
const { client } = clickOn("partner", null);
const order = {
  appId: shop.appId,
  from: 1,
  to: null,
  date: today,
  hour: 1,
  client,
  sentFrom: "app",
  category: "app_order_complete",
  device: 1,
  cents: 1050,
  currency: "EUR",
  label: null,
  isFirstOfDevice: true,
  isFirstOfUser: null,
} as const;
const path = `/reports/api/v7/apps/${shop.name}/actuals/query`;
const revenue = { ...clicksByCampaign, from: today, groupBys: [], metrics: ["app_revenue"] };

const taskId = exampleUuid("report", 1);
const storedNothing: StoredResults = {
  has: async () => false,
  total: async () => null,
  requestRows: async () => undefined,
  all: async () => ({ rows: [], totalCount: 0 }),
  page: async () => ({ rows: [], totalCount: 0 }),
  row: async () => null,
};

let started: Reports;
const languages = suite("the language of reports");
languages.before(async () => {
  started = await startReports();
  await started.writeFacts({ touchpoints: [], appEvents: [order] });
});
languages.after(() => started.close());

const read = async (taskId: string, language: string, query = "") => {
  const headers = { "Accept-Language": language, "X-Min-Position": "0" };
  const answer = await started.call("GET", `${path}/${taskId}${query}`, { token: "owner", headers });
  assert.is(answer.headers["content-language"], language);
  return answer;
};
const notificationsIn = async (taskId: string, language: string): Promise<unknown> =>
  ((await read(taskId, language)).json as { readonly notifications: unknown }).notifications;

languages("is that of each reader's notifications, whoever has asked for the report", async () => {
  const taskId = await started.ended(revenue);
  const told = { code: "EXCHANGE_RATE_MISSING", type: "WARNING" };
  assert.equal(await notificationsIn(taskId, "en"), [
    { ...told, message: `Amounts were left out because there is no exchange rate for them: EUR (${today}).` },
  ]);
  assert.equal(await notificationsIn(taskId, "ko"), [
    { ...told, message: `적용할 환율이 없어 제외된 금액이 있습니다: EUR (${today}).` },
  ]);
  assert.equal(await notificationsIn(taskId, "ja"), [
    { ...told, message: `適用できる為替レートがないため、除外された金額があります: EUR (${today})。` },
  ]);
});

languages("changes nothing else of a report, and nothing of its CSV", async () => {
  const taskId = await started.ended(revenue);
  const [english, korean] = [await read(taskId, "en"), await read(taskId, "ko")];
  const shown = ({ json }: { readonly json: unknown }) => ({ ...(json as object), notifications: [] });
  assert.equal(shown(korean), shown(english));
  assert.is((await read(taskId, "ja", "?format=csv")).text, (await read(taskId, "en", "?format=csv")).text);
});

languages("is that of the reason why a report has failed", async () => {
  const release = await started.lockFacts();
  try {
    started.circumstances.timeoutMs = 100;
    const taskId = await started.ended(clicksByCampaign);
    assert.equal(await notificationsIn(taskId, "ko"), [
      {
        code: "REPORT_TOO_SLOW",
        type: "WARNING",
        message:
          "리포트 처리 시간이 너무 오래 걸렸습니다. 기간, 그룹바이 또는 메트릭을 줄이거나 필터를 추가해 주십시오.",
      },
    ]);
  } finally {
    await release();
  }
});

languages("is that of what is wrong with a query", async () => {
  const body = { ...clicksByCampaign, from: "2026-02-30", groupBys: ["colour"], metrics: ["joy"], sorts: [] };
  const answer = await started.call("POST", path, { token: "owner", body, headers: { "Accept-Language": "ja" } });
  assert.is(answer.status, 400);
  assert.is(answer.headers["content-language"], "ja");
  assert.equal((answer.json as { readonly errors: unknown }).errors, [
    {
      loc: ["body", "from"],
      msg: "2026-03-31のような形式の、実在する日付である必要があります",
      type: "wrong_format",
    },
    { loc: ["body", "groupBys", 0], msg: "このレポートでは使用できないグループバイです", type: "not_allowed" },
    { loc: ["body", "metrics", 0], msg: "このレポートでは使用できないメトリックです", type: "not_allowed" },
  ]);
});

languages("is that of a failure's reason, whatever kind of report it is", async () => {
  for (const report of reports) {
    const failed = { taskId, appId: shop.appId, position: 1n, report: report.kind, stage: "failed" };
    const task = {
      ...failed,
      failure: "too_slow",
      onlyChannels: null,
      endedAt: new Date(),
    } as unknown as ReportTaskRow;
    const [read] = reportTaskReadRoutes({
      reports: [report],
      reportTaskOf: async () => task,
      results: storedNothing,
    });
    const reply = await read?.handle({
      principal: { kind: "operator" },
      app: registeredApp(shop, "2026-01-01T00:00:00.000Z"),
      params: { app_name: shop.name, task_id: taskId },
      query: undefined,
      body: undefined,
      requestId: "request",
      commandId: "request",
      ip: null,
      userAgent: null,
      receivedAt: new Date().toISOString(),
      elapsedMs: () => 0,
      language: "ja",
    });
    assert.match(JSON.stringify(reply), /レポートの処理に時間がかかりすぎました/, report.path);
  }
});

languages.run();
