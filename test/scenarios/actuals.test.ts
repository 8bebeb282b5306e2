// time limit: 120 s
import { randomUUID } from "node:crypto";
import pg from "pg";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runReport, uploadFile } from "../../client/index.ts";
import { registerApp } from "../support/application-process.ts";
import { runProgram } from "../support/command-line.ts";
import { runShop } from "../support/running-shop.ts";
import { anAppEvent, at, trafficOf, yesterday } from "./shop-traffic.ts";

const shop = await runShop();
const { application } = shop;
const range = { from: yesterday, to: yesterday, filters: [], sorts: [] };

const tracing = suite("a number in a report is traced to its events and rows");

const owner = () => application.client(shop.tokens.api, 10_000);

interface Explained {
  readonly data: {
    readonly value: number;
    readonly parts: readonly {
      readonly sum: number;
      readonly contributions: readonly { readonly [field: string]: unknown }[];
    }[];
  };
}

/** Uploads the cost of campaigns; returns the id of the upload. */
async function upload(costs: Readonly<Record<string, number>>): Promise<string> {
  const rows = Object.entries(costs).map(([campaign, cost]) => `${yesterday},partner,USD,${campaign},100,10,${cost}\n`);
  const content = `date,channel,currency,campaign,impressions,clicks,cost\n${rows.join("")}`;
  const { requestId, status } = await uploadFile(owner(), "ad_spend", { name: "spend.csv", content });
  assert.is(status, "succeeded");
  return requestId;
}

/** Runs the report of campaigns; returns the task's id. */
async function campaigns(): Promise<string> {
  const metrics = ["clicks", "app_installs", "app_revenue", "cost_channel", "roas"];
  return (await runReport(owner(), "actuals", "shop", { ...range, groupBys: ["campaign"], metrics })).taskId;
}

async function explain(taskId: string, metric: string, campaign = "spring"): Promise<Explained["data"]> {
  const cell = { row: [campaign], metric };
  return ((await owner().send("POST", `/admin/v1/apps/shop/report-tasks/${taskId}/explain`, cell)) as Explained).data;
}

/** Fields of the only contribution of a part. */
function only({ parts }: Explained["data"], fields: readonly string[], part = 0): readonly unknown[] {
  const { contributions = [] } = parts[part] ?? {};
  assert.is(contributions.length, 1);
  return fields.map((field) => contributions[0]?.[field]);
}

tracing("down to touchpoint, events, and the row of the file, as of the report's position", async () => {
  // Given
  const touchpointId = randomUUID();
  const { click, send } = trafficOf(owner);
  await click("partner", "12:00", "phone", { touchpointId, campaignParams: { campaign: "spring" } });
  const install = anAppEvent("app_install", "12:00");
  const order = anAppEvent("app_order_complete", "12:00", "phone", { value: 30, currency: "USD" });
  await send(install, order, anAppEvent("app_order_complete", "12:00", "tablet", { value: 5, currency: "USD" }));
  const first = await upload({ summer: 7, spring: 12 });

  // When
  const taskId = await campaigns();
  const second = await upload({ spring: 15 });
  const later = await campaigns();

  // Then
  const noon = new Date(at("12:00")).toISOString();
  const clicks = await explain(taskId, "clicks");
  assert.equal(only(clicks, ["touchpointId", "occurredAt", "contribution"]), [touchpointId, noon, 1]);
  const installs = await explain(taskId, "app_installs");
  assert.equal(only(installs, ["eventId", "touchpointId", "contribution"]), [install.eventId, touchpointId, 1]);
  const revenue = only(await explain(taskId, "app_revenue"), ["eventId", "touchpointId", "occurredAt", "contribution"]);
  assert.equal(revenue, [order.eventId, touchpointId, noon, 30]);
  const roas = await explain(taskId, "roas");
  assert.equal([roas.value, roas.parts.map(({ sum }) => sum)], [250, [30, 12]]);
  assert.equal([only(roas, ["eventId"]), only(roas, ["requestId", "row"], 1)], [[order.eventId], [first, 3]]);
  const costOf = async (id: string, campaign?: string) =>
    only(await explain(id, "cost_channel", campaign), ["requestId", "row", "contribution"]);
  assert.equal(await costOf(taskId), [first, 3, 12]);
  assert.equal(
    [await costOf(later), await costOf(later, "summer")],
    [
      [second, 2, 15],
      [first, 2, 7],
    ],
  );

  // And further: to the decision behind the install, and to the file behind the cost.
  const decision = await owner().send("GET", `/admin/v1/apps/shop/attributions/${install.eventId}`);
  assert.is((decision as { data: { winner: { touchpointId: string } } }).data.winner.touchpointId, touchpointId);
  const history = await owner().send("GET", `/admin/v1/apps/shop/uploads/${first}/history`);
  assert.is((history as { data: { upload: { fileName: string } } }).data.upload.fileName, "spend.csv");
});

tracing("and an upload to its audited events, with their actors", async () => {
  const { requestId } = await uploadFile(owner(), "ad_spend", { name: "bad.csv", content: "date,channel\n" });
  const { data } = (await owner().send("GET", `/admin/v1/apps/shop/audit?subject=${requestId}`)) as {
    data: readonly { readonly type: string; readonly actor: { readonly kind: string; readonly role?: string } }[];
  };
  const done = data.map(({ type, actor }) => [type, actor.role ?? actor.kind]);
  assert.equal(done, [
    ["UploadReceived", "owner"],
    ["UploadRejected", "reactor"],
  ]);
  const traced = await runProgram(["audit", "trace", requestId], { DATA_DIR: shop.data });
  const lines = traced.out.trim().split("\n").slice(2);
  assert.equal(
    lines.map((line) => line.split(/ {2,}/).slice(2, 4)),
    done.map(([type]) => [type, `upload ${requestId}`]),
    traced.err,
  );
  const unknown = await runProgram(["audit", "trace", "nothing"], { DATA_DIR: shop.data });
  assert.is(unknown.code, 1);
  assert.match(unknown.err, /^The audit trail has nothing of nothing\. Is it the id of/);
});

const late = suite("a late touchpoint and changed rules, in actuals of another app");
const app = "late_shop";
const registration = { name: app, timezone: "Asia/Seoul", currency: "USD", ownerEmail: "owner@shop.example" };
const { api } = await registerApp(application.operator, registration);
const lateOwner = () => application.client(api);
const { click, happen } = trafficOf(lateOwner, app);

/** Installs and orders by channel, with the position of the report. */
async function report(asOf: object = {}): Promise<{ readonly position: string | undefined; readonly rows: string }> {
  const metrics = ["app_installs", "app_order_complete"];
  const query = { ...range, groupBys: ["channel"], metrics, ...asOf };
  const { pages } = await runReport(lateOwner(), "actuals", app, query);
  const rows = pages.flatMap(({ actuals }) => actuals.data.rows);
  const lines = rows.map(({ groupBys, values }) =>
    [groupBys[0], ...metrics.map((metric) => values[metric]?.value ?? 0)].join(" "),
  );
  return { position: pages[0]?.task.asOfPosition, rows: lines.sort().join(", ") };
}

late("wins the install and later events from then on, and does not change earlier reports", async () => {
  await click("alpha", "10:00");
  const install = await happen("app_install", "12:00");
  await happen("app_order_complete", "13:00");
  const first = await report();
  await click("older", "09:00");
  const unchanged = await report();
  await click("beta", "11:00");
  const revised = await report();
  await click("gamma", "11:30");
  const last = await report();
  const reports = [first, unchanged, revised, last];
  const expected = ["alpha 1 1", "alpha 1 1", "beta 1 1", "gamma 1 1"];
  assert.equal(
    reports.map(({ rows }) => rows),
    expected,
  );
  for (const { position, rows } of reports) assert.is((await report({ asOf: position })).rows, rows);

  type Decision = { readonly winner: { readonly source: { readonly channel: string } } };
  const { data } = (await application.operator.send("GET", `/admin/v1/apps/${app}/attributions/${install}`)) as {
    data: Decision & { readonly formerDecisions: readonly Decision[] };
  };
  const winners = [data, ...data.formerDecisions].map(({ winner }) => winner.source.channel);
  assert.equal(winners, ["gamma", "beta", "alpha"]);
});

late("is decided by the rules in force at the install; changed rules apply to later installs", async () => {
  const before = (await report()).rows;
  await happen("app_install", "12:00", "tablet");
  const rules = { channels: { delta: { click: { device: "59m" } } } };
  const path = `/admin/v1/apps/${app}/attribution-rules`;
  const set = await application.operator.send("PUT", path, rules);
  assert.equal(await application.operator.send("GET", path), set);
  await click("delta", "11:00", "tablet");
  await click("delta", "11:00", "watch");
  await happen("app_install", "12:00", "watch");
  assert.is((await report()).rows, `delta 1 0, ${before}, unattributed 1 0`);
});

const sql = suite("the same in SQL, for tools that read Postgres");
sql.after(shop.end);

sql("by a role that can only read the views", async () => {
  const environment = { DATA_DIR: shop.data };
  const [created, again] = [
    await runProgram(["sql-role", "create", "bi"], environment),
    await runProgram(["sql-role", "create", "bi"], environment),
  ];
  assert.is(created.code, 0, created.err);
  assert.equal(
    [again.code, again.err],
    [
      1,
      "There is a role bi already. Choose another name, or drop it if sql-role created it: touchledger sql-role drop bi\n",
    ],
  );
  const client = new pg.Client({ connectionString: created.out.split("\n")[0] });
  await client.connect();
  const rows = async (text: string) => (await client.query({ text, rowMode: "array" })).rows;
  const refused = (text: string) =>
    client.query(text).then(
      () => "done",
      ({ code }) => code,
    );
  try {
    const winners =
      "select channel, is_revised, count(*)::integer, count(window_ends_at)::integer from attributions where app = 'late_shop' group by 1, 2 order by 1";
    assert.equal(await rows(winners), [
      ["delta", true, 1, 1],
      ["gamma", true, 1, 1],
      ["unattributed", false, 1, 0],
    ]);
    const cost = "select campaign, cost::float8 from spend where app = 'shop' order by 1";
    assert.equal(await rows(cost), [
      ["spring", 15],
      ["summer", 7],
    ]);
    const events =
      "select event_category, channel, campaign, event_value::float8, match_type from app_events where app = 'shop' and channel = 'partner' order by 1";
    assert.equal(await rows(events), [
      ["app_install", "partner", "spring", null, "device_id"],
      ["app_order_complete", "partner", "spring", 30, "device_id"],
    ]);
    assert.equal(
      await rows("select kind from (select touchpoint_type as kind from touchpoints where app = 'shop') as t"),
      [["click"]],
    );
    const others =
      "select table_schema, table_name from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema') order by 2";
    assert.equal(
      await rows(others),
      ["app_events", "attributions", "metrics", "spend", "touchpoints"].map((name) => ["touchledger_views", name]),
    );
    const {
      rows: [live],
    } = await client.query("select definition from pg_views where viewname = 'spend'");
    const [table] = /facts_v\d+_\d+\.spend/.exec(live.definition) ?? [];
    assert.equal(await Promise.all([`select from ${table}`, "select from touchledger.generations"].map(refused)), [
      "42501",
      "42501",
    ]);
    await client.query("set default_transaction_read_only = off");
    assert.equal([await refused("create view v as select 1"), await refused("create table t ()")], ["42501", "42501"]);
  } finally {
    await client.end();
  }
  const dropped = await runProgram(["sql-role", "drop", "bi"], environment);
  assert.equal([dropped.code, dropped.out], [0, "Dropped bi.\n"]);
});

tracing.run();
late.run();
sql.run();
