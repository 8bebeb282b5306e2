// time limit: 240 s
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { followReport, requestReport, uploadFile } from "../../client/index.ts";
import type { ReportKind } from "../../domain/report-tasks/events.ts";
import { addDays, localDate } from "../../domain/values/local-time.ts";
import { runShop } from "../support/running-shop.ts";
import { anAppEvent, trafficOf, yesterday } from "./shop-traffic.ts";

const today = localDate("Asia/Seoul", Date.now());
const range = { from: addDays(today, -6), to: today, filters: [] };
const cohorts = { ...range, granularity: "day", groupBy: { fields: ["channel", "campaign"] }, sorts: [] };
const questions = {
  actuals: {
    ...range,
    groupBys: ["event_date", "channel", "campaign"],
    metrics: ["app_installs", "app_order_complete", "app_revenue", "cost_channel", "roas", "Store visits"],
    sorts: [],
  },
  active_users: {
    ...range,
    granularity: "day",
    groupBy: { fields: ["channel"] },
    metrics: ["app_au", "app_pu", "app_revenue", "app_arpu", "app_arppu"],
  },
  retention: {
    ...cohorts,
    startEvent: ["app_installs"],
    returnEvents: ["app_order_complete"],
    measurementOption: "general_retention",
  },
  revenue: {
    ...cohorts,
    startEvents: ["app_install"],
    returnEvents: ["app_order_complete"],
    metric: "app_roas",
    aggregationType: "cumulative",
  },
} as const satisfies { readonly [kind in ReportKind]: object };
const kinds = Object.keys(questions) as ReportKind[];

const spend = (currency: string, cost: number) =>
  `date,channel,currency,campaign,impressions,clicks,cost\n${yesterday},partner,${currency},spring,100,10,${cost}\n`;
const visits = (value: number) =>
  `date,channel,event_category,event_value,campaign\n${yesterday},partner,Store visits,${value},spring\n`;

const { application, tokens, end } = await runShop();
const { click, send } = trafficOf(() => application.client(tokens.api));
const ofSpring = { campaignParams: { campaign: "spring" } };
/** The four reports as of three times. */
let saved: Answers;
let savedOfInstant: Answers;
let changed: Answers;
let instant: string;

const test = suite("a report repeated as of an earlier time");
test.before(async () => {
  await setRates({ EUR: 0.5 });
  await click("partner", "10:00", "phone", ofSpring);
  await send(
    anAppEvent("app_install", "12:00", "phone"),
    anAppEvent("app_install", "12:00", "tablet"),
    anAppEvent("app_order_complete", "13:00", "phone", { value: 10, currency: "EUR" }),
    anAppEvent("app_order_complete", "13:00", "tablet", { value: 5, currency: "USD" }),
    anAppEvent("app_order_complete", "13:01", "tablet", { value: 7, currency: "GBP" }),
  );
  await upload("ad_spend", spend("EUR", 1.5));
  await upload("metric", visits(12));
  saved = await allAnswers();
  instant = new Date().toISOString();
  while (new Date().toISOString() <= instant) await pause(1);
  savedOfInstant = await allAnswers({ asOf: instant });

  await upload("ad_spend", spend("USD", 99));
  await upload("metric", visits(13));
  await send(
    anAppEvent("app_install", "09:00", "watch"),
    anAppEvent("app_order_complete", "12:30", "tablet", { value: 1_000, currency: "USD" }),
    anAppEvent("app_order_complete", "12:30", "watch", { value: 3, currency: "USD" }),
  );
  await click("late", "11:00", "phone", ofSpring);
  await setRates({ EUR: 0.25, GBP: 0.5 });
  changed = await allAnswers();
});
test.after(end);

const upload = async (kind: "ad_spend" | "metric", content: string): Promise<void> => {
  const record = await uploadFile(application.client(tokens.api), kind, { name: "some.csv", content });
  assert.is(record.status, "succeeded", record.reason ?? "");
};
const setRates = (rates: object) =>
  application.operator.send("PUT", `/admin/v1/exchange-rates/${yesterday}`, { base: "USD", rates });

type Answers = { readonly [kind in ReportKind]: string };

async function allAnswers(asOf: object = {}): Promise<Answers> {
  const answers: [ReportKind, string][] = [];
  for (const kind of kinds) answers.push([kind, await answerOf(kind, { ...questions[kind], ...asOf })]);
  return Object.fromEntries(answers) as Answers;
}

/** The whole answer of a report, as it was sent. */
async function answerOf(kind: ReportKind, query: object): Promise<string> {
  const api = application.client(tokens.api);
  const task = await requestReport(api, kind, "shop", query as never);
  const { status } = await followReport(api, task, () => {}, 60_000);
  assert.is(status, "SUCCESS");
  return api.read(task.path);
}

/** All bytes but those of `taskId` and `endedAt`. */
const bytesOf = (answer: string): string =>
  answer.replace(/"taskId":"[^"]+"/, '"taskId":').replace(/"endedAt":"[^"]+"/, '"endedAt":');
const positionOf = (answer: string): string => {
  const { task, data } = JSON.parse(answer);
  return (task ?? data).asOfPosition;
};
/** The response without its position. */
const contentOf = (answer: string): string => bytesOf(answer).replace(/"asOfPosition":"\d+"/, "");

for (const kind of kinds) {
  test(`${kind} is the same bytes, whatever has happened since`, async () => {
    const repeated = (asOf: string | number) => answerOf(kind, { ...questions[kind], asOf });
    assert.is(contentOf(savedOfInstant[kind]), contentOf(saved[kind]));
    assert.is.not(contentOf(changed[kind]), contentOf(saved[kind]));
    const position = positionOf(saved[kind]);
    for (const asOf of [position, Number(position)]) assert.is(bytesOf(await repeated(asOf)), bytesOf(saved[kind]));
    assert.is(bytesOf(await repeated(instant)), bytesOf(savedOfInstant[kind]));
    assert.is(bytesOf(await repeated(positionOf(changed[kind]))), bytesOf(changed[kind]));
  });
}

test("repeats the notification of missing exchange rates", () => {
  for (const kind of ["actuals", "active_users", "revenue"] as const) {
    assert.ok(saved[kind].includes("EXCHANGE_RATE_MISSING"), saved[kind]);
  }
  assert.is(saved.retention.includes("EXCHANGE_RATE_MISSING"), false);
});

test("leaves the channel of an install that another has won since where it was", () => {
  for (const kind of kinds) {
    assert.equal(
      [saved, changed].map((answers) => answers[kind].includes('"late"')),
      [false, true],
      kind,
    );
  }
});

test("of actuals may count a metric that has been archived since", async () => {
  await application.operator.send("PUT", "/admin/v1/apps/shop/uploaded-metrics/Store%20visits", { archived: true });
  const refused = await answerOf("actuals", questions.actuals).then(() => "", String);
  assert.match(refused, /400 VALIDATION_FAILED: body\.metrics\.5 /);
  const asOf = positionOf(saved.actuals);
  assert.is(bytesOf(await answerOf("actuals", { ...questions.actuals, asOf })), bytesOf(saved.actuals));
});

test.run();
