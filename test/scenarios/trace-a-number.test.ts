// time limit: 120 s
import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays, localDate } from "../../domain/values/local-time.ts";
import type { ActualsPage } from "../../infra/api-client/report-pages.ts";
import { runReport } from "../../infra/api-client/report-tasks.ts";
import { uploadFile } from "../../infra/api-client/uploads.ts";
import { runShop } from "../support/running-shop.ts";

const yesterday = addDays(localDate("Asia/Seoul", Date.now()), -1);
const noon = `${yesterday}T12:00:00+09:00`;
const noonUtc = `${yesterday}T03:00:00.000Z`;
const header = "date,channel,currency,campaign,impressions,clicks,cost\n";
const row = (campaign: string, cost: number) => `${yesterday},partner,USD,${campaign},100,10,${cost}\n`;
const touchpointId = randomUUID();
const installId = randomUUID();
const orderId = randomUUID();
const metrics = ["clicks", "app_installs", "app_revenue", "cost_channel", "roas"];

interface Explained {
  readonly data: {
    readonly value: number;
    readonly parts: readonly {
      readonly sum: number;
      readonly contributions: readonly { readonly [field: string]: unknown }[];
    }[];
  };
}

const { application, tokens, end } = await runShop();
const test = suite("A number in a report is traced to what was sent");
test.after(end);

const owner = () => application.client(tokens.api, 10_000);
const sendEvents = (...events: readonly object[]) =>
  owner().send("POST", "/events/v1/apps/shop/app-events", { events });
const happened = (eventId: string, category: string, more: object = {}) => {
  return { eventId, eventTimestamp: noon, category, device: { id: "phone-1", os: "iOS" }, ...more };
};

async function upload(content: string): Promise<string> {
  const { requestId, status } = await uploadFile(owner(), "ad_spend", { name: "spend.csv", content });
  assert.is(status, "succeeded");
  return requestId;
}

/** Runs the report of campaigns on a day; returns the task's id. */
async function report(): Promise<string> {
  const query = { from: yesterday, to: yesterday, groupBys: ["campaign"], metrics, filters: [], sorts: [] };
  const { pages } = await runReport<ActualsPage>(owner(), "actuals", "shop", query);
  return pages[0]?.task.taskId ?? "";
}

async function explain(taskId: string, metric: string, campaign = "spring"): Promise<Explained["data"]> {
  const cell = { row: [campaign], metric };
  return ((await owner().send("POST", `/admin/v1/apps/shop/report-tasks/${taskId}/explain`, cell)) as Explained).data;
}

/** Fields of the only contribution of a part. */
function only({ parts }: Explained["data"], part = 0, fields: readonly string[]): readonly unknown[] {
  const { contributions = [] } = parts[part] ?? {};
  assert.is(contributions.length, 1);
  return fields.map((field) => contributions[0]?.[field]);
}

test("down to touchpoint, events, and the row of the file, as of the report's position", async () => {
  // Given
  const touchpoint = { touchpointId, kind: "click", timestamp: noon, channel: "partner", deviceId: "phone-1" };
  await owner().send("POST", "/events/v1/apps/shop/touchpoints", {
    touchpoints: [{ ...touchpoint, campaignParams: { campaign: "spring" } }],
  });
  await sendEvents(
    happened(installId, "app_install"),
    happened(orderId, "app_order_complete", { value: 30, currency: "USD" }),
    happened(randomUUID(), "app_order_complete", { value: 5, currency: "USD", device: { id: "phone-2" } }),
  );
  const first = await upload(`${header}${row("summer", 7)}${row("spring", 12)}`);

  // When
  const taskId = await report();
  const second = await upload(`${header}${row("spring", 15)}`);
  const later = await report();

  // Then
  const clicks = await explain(taskId, "clicks");
  assert.equal(only(clicks, 0, ["touchpointId", "occurredAt", "contribution"]), [touchpointId, noonUtc, 1]);
  const installs = await explain(taskId, "app_installs");
  assert.equal(only(installs, 0, ["eventId", "touchpointId", "contribution"]), [installId, touchpointId, 1]);
  const revenue = await explain(taskId, "app_revenue");
  assert.equal(only(revenue, 0, ["eventId", "touchpointId", "occurredAt", "contribution"]), [
    orderId,
    touchpointId,
    noonUtc,
    30,
  ]);
  const cost = await explain(taskId, "cost_channel");
  assert.equal(only(cost, 0, ["requestId", "row", "contribution"]), [first, 3, 12]);
  const roas = await explain(taskId, "roas");
  assert.equal([roas.value, roas.parts.map(({ sum }) => sum)], [250, [30, 12]]);
  assert.equal(only(roas, 0, ["eventId"]), [orderId]);
  assert.equal(only(roas, 1, ["requestId", "row"]), [first, 3]);

  assert.equal(only(await explain(later, "cost_channel"), 0, ["requestId", "row", "contribution"]), [second, 2, 15]);
  assert.equal(only(await explain(later, "cost_channel", "summer"), 0, ["requestId", "row"]), [first, 2]);

  // And further: to the decision behind the install, and to the file behind the cost.
  const decision = await owner().send("GET", `/admin/v1/apps/shop/attributions/${installId}`);
  assert.is((decision as { data: { winner: { touchpointId: string } } }).data.winner.touchpointId, touchpointId);
  const history = await owner().send("GET", `/admin/v1/apps/shop/uploads/${first}/history`);
  assert.is((history as { data: { upload: { fileName: string } } }).data.upload.fileName, "spend.csv");
});

test.run();
