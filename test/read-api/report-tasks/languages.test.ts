import { suite } from "uvu";
import * as assert from "uvu/assert";
import { registeredApp } from "../../../domain/apps/registered-app.ts";
import { languages as supported } from "../../../domain/values/language.ts";
import { reports } from "../../../infra/composition/report-modules.ts";
import { textOf } from "../../../infra/http/i18n/messages.ts";
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
  const missing = { code: "EXCHANGE_RATE_MISSING", params: { rates: `EUR (${today})` } };
  for (const language of supported) {
    const message = textOf(missing, language);
    assert.equal(await notificationsIn(taskId, language), [{ code: missing.code, type: "WARNING", message }]);
  }
});

languages("changes nothing else of a report, and nothing of its CSV", async () => {
  const taskId = await started.ended(revenue);
  const [english, korean] = [await read(taskId, "en"), await read(taskId, "ko")];
  const shown = ({ json }: { readonly json: unknown }) => ({ ...(json as object), notifications: [] });
  assert.equal(shown(korean), shown(english));
  assert.is((await read(taskId, "ja", "?format=csv")).text, (await read(taskId, "en", "?format=csv")).text);
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
    assert.ok(JSON.stringify(reply).includes(textOf({ code: "REPORT_TOO_SLOW" }, "ja")), report.path);
  }
});

languages.run();
