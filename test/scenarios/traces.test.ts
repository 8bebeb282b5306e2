// time limit: 120 s
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { temporaryDirectory } from "../support/application-process.ts";
import { type RunningShop, runShop } from "../support/running-shop.ts";
import type { WrittenSpan } from "../support/spans-to-file.ts";
import { type ReceivedRequest, startReceiver } from "../support/webhook-receiver.ts";
import { anAppEvent, yesterday } from "./shop-traffic.ts";

const traceId = (number: number): string => number.toString(16).padStart(32, "a");
const parent = (number: number): string => `00-${traceId(number)}-00f067aa0ba902b7-01`;
const types = ["attribution.decided", "upload.finished", "report.finished", "export.finished"];

const receiver = await startReceiver();
const spansOf = await temporaryDirectory();
const spansFile = join(spansOf.path, "spans");
const spansModule = import.meta.resolve("../support/spans-to-file.js");

/** Sends what a webhook is notified of, and returns the request that it gets. */
async function notified(
  shop: RunningShop,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>>,
): Promise<ReceivedRequest> {
  const before = receiver.requests.length;
  const isForm = body instanceof FormData;
  const response = await fetch(`${shop.application.run.baseUrl}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${shop.tokens.api}`,
      ...(isForm ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    body: isForm ? body : JSON.stringify(body),
  });
  assert.ok(response.ok, await response.text());
  while (receiver.requests.length === before) await pause(10);
  return receiver.requests[before] as ReceivedRequest;
}

const install = () => ({ events: [anAppEvent("app_install", "10:00", crypto.randomUUID())] });
const events = "/events/v1/apps/shop/app-events";
const traceOf = ({ headers: { traceparent, tracestate } }: ReceivedRequest) => ({ traceparent, tracestate });

async function withWebhook(environment: Readonly<Record<string, string>> = {}): Promise<RunningShop> {
  const shop = await runShop({ WEBHOOK_PRIVATE_NETWORKS: "true", ...environment });
  const owner = shop.application.client(shop.tokens.api);
  await owner.send("POST", "/admin/v1/apps/shop/webhooks", { url: receiver.url, types });
  return shop;
}

const test = suite("traces through a running instance");
test.before.each(() => {
  receiver.requests.length = 0;
});
test.after(async () => {
  await receiver.close();
  await spansOf.remove();
});

test("without an SDK: webhooks get the trace of the request that caused them, and none of a request without", async () => {
  const shop = await withWebhook();
  try {
    const file = new FormData();
    const rows = `date,channel,currency,campaign,impressions,clicks,cost\n${yesterday},web,USD,a,1,1,1.00\n`;
    file.append("file", new Blob([rows], { type: "text/csv" }), "spend.csv");
    const [from, to] = [yesterday, yesterday];
    const report = { from, to, groupBys: [], metrics: ["app_installs"], filters: [], sorts: [] };
    const dateRange = { start: `${yesterday} 00:00:00`, end: `${yesterday} 23:59:59` };
    const requested = { dateRange, events: ["app_installs"], properties: ["event_datetime"] };
    const calls: readonly (readonly [path: string, body: object])[] = [
      [events, install()],
      ["/self-serve-data/v1/ad-spend/requests", file],
      ["/reports/api/v7/apps/shop/actuals/query", report],
      ["/log-export/api/v3/apps/shop/app/request", requested],
    ];
    for (const [number, [path, body]] of calls.entries()) {
      const sent = { traceparent: parent(number), tracestate: "congo=t61rcWkgMzE" };
      assert.equal(traceOf(await notified(shop, path, body, sent)), sent, path);
    }
    for (const traceparent of ["", "00-00000000000000000000000000000000-00f067aa0ba902b7-01"]) {
      const got = traceOf(await notified(shop, events, install(), { traceparent }));
      assert.equal(got, { traceparent: undefined, tracestate: undefined });
    }
  } finally {
    await shop.end();
  }
});

test("with an SDK: a request of an app event is one trace, through append, decision and webhook", async () => {
  const shop = await withWebhook({ NODE_OPTIONS: `--import=${spansModule}`, SPANS_FILE: spansFile });
  // The facts are then past the registration of the app, which would share a batch with the next event.
  await notified(shop, events, install(), {});
  const continued = await notified(shop, events, install(), { traceparent: parent(99), tracestate: "congo=t61" });
  const begun = await notified(shop, events, install(), {});
  await shop.end();
  const spans = (await readFile(spansFile, "utf8"))
    .trim()
    .split("\n")
    .map((line): WrittenSpan => JSON.parse(line));
  const delivered = (request: ReceivedRequest) => request.headers.traceparent?.toString().split("-") ?? [];

  assert.is(delivered(continued)[1], traceId(99));
  assert.is(continued.headers.tracestate, "congo=t61");
  for (const [request, root] of [
    [continued, "00f067aa0ba902b7"],
    [begun, null],
  ] as const) {
    const [, trace, deliverySpan] = delivered(request);
    // The batches of the other group are cut as time has it.
    const ofTrace = spans.filter((span) => span.traceId === trace && span.name !== "project control");
    const nameOf = new Map(ofTrace.map(({ spanId, name }) => [spanId, name]));
    const tree = ofTrace.map(({ name, parentId }) => [name, nameOf.get(parentId ?? "") ?? parentId]);
    const server = "POST /events/v1/apps/:app_name/app-events";
    assert.equal(tree.sort(), [
      [server, root],
      ["append appEvents", "journal appEvents"],
      ["append attribution", "decide attribution"],
      ["decide attribution", "reactor attribution"],
      ["deliver webhook", "decide attribution"],
      ["journal appEvents", server],
      ["project facts", server],
      ["project facts", "decide attribution"],
      ["reactor attribution", server],
    ]);
    assert.is(nameOf.get(deliverySpan ?? ""), "deliver webhook");
  }
});

test.run();
