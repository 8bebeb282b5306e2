// time limit: 120 s
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays, localDate } from "../../domain/local-time.ts";
import { uploadFile } from "../../infra/api-client/uploads.ts";
import { type AppTokens, type House, registerApp, startHouse, temporaryDirectory } from "../house.ts";

const today = localDate("Asia/Seoul", Date.now());
const yesterday = addDays(today, -1);
const question = {
  from: addDays(today, -6),
  to: today,
  groupBys: ["event_date", "channel", "campaign"],
  metrics: ["app_installs", "app_order_complete", "app_revenue", "cost_channel", "roas", "Store visits"],
  filters: [],
  sorts: [],
};
const path = "/reports/api/v7/apps/shop/actuals/query";
const spend = (currency: string, cost: number) =>
  `date,channel,currency,campaign,impressions,clicks,cost\n${yesterday},partner,${currency},spring,100,10,${cost}\n`;
const visits = (value: number) =>
  `date,channel,event_category,event_value,campaign\n${yesterday},partner,Store visits,${value},spring\n`;

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let house: House;
let tokens: AppTokens;
const test = suite("a report asked again as of then (D7.1)");
test.before(async () => {
  directory = await temporaryDirectory();
  house = await startHouse(directory.path);
  tokens = await registerApp(house.operator);
});
test.after(async () => {
  await house.stop();
  await directory.remove();
});

const upload = async (kind: "ad-spend" | "metric", content: string): Promise<void> => {
  const record = await uploadFile(house.client(tokens.api), kind, { name: "some.csv", content });
  assert.is(record.status, "succeeded", record.reason ?? "");
};
const setRates = (rates: object) =>
  house.operator.send("PUT", `/admin/v1/exchange-rates/${yesterday}`, { base: "USD", rates });
const order = (eventTimestamp: string, value: number, currency: string, category = "app_order_complete") => {
  const id = randomUUID();
  return { eventId: id, eventTimestamp, category, value, currency, device: { id, os: "iOS" } };
};
const send = (...events: readonly object[]) =>
  house.client(tokens.sdk).send("POST", "/events/v1/apps/shop/app-events", { events });
const noon = `${yesterday}T12:00:00+09:00`;

/** The whole answer of a report, as it was sent. */
async function answerOf(asOf: object = {}): Promise<string> {
  const { task } = (await house.client(tokens.api).send("POST", path, { ...question, ...asOf })) as {
    task: { taskId: string };
  };
  for (;;) {
    const headers = { authorization: `Bearer ${tokens.api}` };
    const response = await fetch(`${house.run.baseUrl}${path}/${task.taskId}`, { headers });
    const text = await response.text();
    const { status } = JSON.parse(text).task;
    if (status === "SUCCESS") return text;
    assert.ok(status === "RUNNING" || status === "PENDING", text);
    await pause(25);
  }
}

/** All bytes but those of `taskId` and `endedAt`. */
const bytesOf = (answer: string): string =>
  answer.replace(/"taskId":"[^"]+"/, '"taskId":').replace(/"endedAt":"[^"]+"/, '"endedAt":');
const positionOf = (answer: string): string => JSON.parse(answer).task.asOfPosition;
const rowsOf = (answer: string): string =>
  JSON.stringify([JSON.parse(answer).actuals, JSON.parse(answer).notifications]);

test("is the same bytes, whatever has happened since", async () => {
  // Given
  await setRates({ EUR: 0.5 });
  await send(
    order(noon, 10, "EUR"),
    order(noon, 5, "USD"),
    order(noon, 7, "GBP"),
    order(noon, 0, "USD", "app_install"),
  );
  await upload("ad-spend", spend("EUR", 1.5));
  await upload("metric", visits(12));
  const saved = await answerOf();
  const instant = new Date().toISOString();
  while (new Date().toISOString() <= instant) await pause(1);
  const savedOfInstant = await answerOf({ asOf: instant });
  assert.is(rowsOf(savedOfInstant), rowsOf(saved));
  assert.ok(rowsOf(saved).includes("EXCHANGE_RATE_MISSING"), saved);

  // When
  await upload("ad-spend", spend("USD", 99));
  await upload("metric", visits(13));
  await send(order(noon, 1_000, "USD"), order(noon, 0, "USD", "app_install"));
  await setRates({ EUR: 0.25, GBP: 0.5 });
  const changed = await answerOf();
  await house.operator.send("PUT", "/admin/v1/apps/shop/uploaded-metrics/Store%20visits", { archived: true });

  // Then
  assert.is.not(rowsOf(changed), rowsOf(saved));
  const refused = await answerOf().then(() => "", String);
  assert.match(refused, /400.*"metrics",5/);
  const position = positionOf(saved);
  for (const asOf of [position, Number(position)]) assert.is(bytesOf(await answerOf({ asOf })), bytesOf(saved));
  assert.is(bytesOf(await answerOf({ asOf: instant })), bytesOf(savedOfInstant));
  assert.is(bytesOf(await answerOf({ asOf: positionOf(changed) })), bytesOf(changed));
});

test.run();
