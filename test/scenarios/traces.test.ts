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

/** A call whose effect a webhook is notified of. */
interface Call {
  readonly path: string;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends the calls at once, and returns the requests that the webhook gets for them, by the type of the notification. */
async function notified(shop: RunningShop, ...calls: readonly Call[]): Promise<readonly ReceivedRequest[]> {
  const before = receiver.requests.length;
  const send = async ({ path, body, headers }: Call): Promise<void> => {
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
  };
  await Promise.all(calls.map(send));
  while (receiver.requests.length < before + calls.length) await pause(10);
  const typeOf = ({ body }: ReceivedRequest): number => types.indexOf(JSON.parse(body).type);
  return receiver.requests.slice(before).sort((one, other) => typeOf(one) - typeOf(other));
}

const install = (headers: Call["headers"]): Call => ({
  path: "/events/v1/apps/shop/app-events",
  body: { events: [anAppEvent("app_install", "10:00", crypto.randomUUID())] },
  headers,
});
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
    const sent = (number: number) => ({ traceparent: parent(number), tracestate: "congo=t61rcWkgMzE" });
    const got = await notified(
      shop,
      install(sent(0)),
      { path: "/self-serve-data/v1/ad-spend/requests", body: file, headers: sent(1) },
      { path: "/reports/api/v7/apps/shop/actuals/query", body: report, headers: sent(2) },
      { path: "/log-export/api/v3/apps/shop/app/request", body: requested, headers: sent(3) },
    );
    assert.equal(
      got.map(traceOf),
      types.map((_, number) => sent(number)),
    );
    const invalid = "00-00000000000000000000000000000000-00f067aa0ba902b7-01";
    const without = await notified(shop, ...["", invalid].map((traceparent) => install({ traceparent })));
    assert.equal(without.map(traceOf), Array(2).fill({ traceparent: undefined, tracestate: undefined }));
  } finally {
    await shop.end();
  }
});

test("with an SDK: a request of an app event is one trace, through append, decision and webhook", async () => {
  const shop = await withWebhook({ NODE_OPTIONS: `--import=${spansModule}`, SPANS_FILE: spansFile });
  // The facts are then past the registration of the app, which would share a batch with the next event.
  await notified(shop, install({}));
  const [continued] = await notified(shop, install({ traceparent: parent(99), tracestate: "congo=t61" }));
  const [begun] = await notified(shop, install({}));
  await shop.end();
  assert.ok(continued !== undefined && begun !== undefined);
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
  const loaded = new Set((await readFile(`${spansFile}.loaded`, "utf8")).split("\n"));
  assert.is(loaded.has("pg"), true, "an SDK can instrument libraries");
});

test.run();
