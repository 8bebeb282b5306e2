// time limit: 120 s
import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { EventStoreDBClient } from "@eventstore/db-client";
import { tableFromIPC } from "apache-arrow";
import { parse } from "csv-parse/sync";
import { readParquet } from "parquet-wasm";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { localDate } from "../../domain/values/local-time.ts";
import type { ActualsPage } from "../../infra/api-client/report-pages.ts";
import { runReport } from "../../infra/api-client/report-tasks.ts";
import { runProgram } from "../support/command-line.ts";
import { runShop } from "../support/running-shop.ts";
import { trafficOf, yesterday } from "./shop-traffic.ts";

const exportPath = "/log-export/api/v3/apps/shop";
const properties = [
  "event_datetime",
  "event_category",
  "channel",
  "event_value",
  "event_label",
  "is_first_event_per_device_id",
  "tracking_link_id",
  "event_properties",
];

const shop = await runShop();
const exporting = suite("a raw export of a running instance");
exporting.after(shop.end);

const owner = () => shop.application.client(shop.tokens.api);
const { click, happen } = trafficOf(owner);

async function requestExport(type = "app", events = ["app_installs", "app_order_complete"]): Promise<number> {
  const query = { dateRange: { start: `${yesterday} 00:00:00`, end: `${yesterday} 23:59:59` }, events, properties };
  const answer = await owner().send("POST", `${exportPath}/${type}/request`, query);
  return (answer as { data: { reportID: number } }).data.reportID;
}

async function urlOf(reportId: number): Promise<string> {
  for (;;) {
    const answer = await owner().send("GET", `${exportPath}/request/${reportId}`);
    const { url } = (answer as { data: { url: string | null } }).data;
    if (url !== null) return url;
    await pause(25);
  }
}

async function download(url: string, headers: { readonly [name: string]: string } = {}) {
  const response = await fetch(url, { headers });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Rows and hash of the export as recorded in the log. */
async function recordedOf(reportId: number): Promise<unknown> {
  const client = EventStoreDBClient.connectionString(shop.application.run.eventStoreUrl);
  const { eventStreamPrefix } = shop.application.run;
  try {
    const today = localDate("Asia/Seoul", Date.now());
    for await (const { event } of client.readStream(`${eventStreamPrefix}rawExports-1_${today}`)) {
      const data = event?.data as { reportId?: number; rows?: number; sha256?: string } | undefined;
      if (event?.type === "ExportCompleted" && data?.reportId === reportId) {
        return { rows: data.rows, sha256: data.sha256 };
      }
    }
    return null;
  } finally {
    await client.dispose();
  }
}

const rowsOf = (bytes: Buffer): readonly { readonly [property: string]: string }[] =>
  parse(bytes, { columns: true, relax_quotes: false });

let first: { readonly url: string; readonly reportId: number; readonly bytes: Buffer };

exporting("has the rows of its position, and the length and hash that the log holds", async () => {
  await click("alpha", "10:00");
  await happen("app_install", "12:00");
  await happen("app_order_complete", "13:00", "phone", {
    value: -7.5,
    label: '=1+1, "x"\r',
    properties: { sku: "A", n: 1 },
  });
  const reportId = await requestExport();
  const url = await urlOf(reportId);
  const { response, bytes } = await download(url);
  assert.is(response.status, 200);
  assert.is(response.headers.get("content-type"), "text/csv; charset=utf-8; header=present");
  assert.is(response.headers.get("content-disposition"), `attachment; filename="export-${reportId}.csv"`);
  assert.is(response.headers.get("content-length"), String(bytes.length));
  assert.equal(rowsOf(bytes), [
    {
      event_datetime: `${yesterday}T12:00:00.000+09:00`,
      event_category: "app_install",
      channel: "alpha",
      event_value: "",
      event_label: "",
      is_first_event_per_device_id: "true",
      tracking_link_id: "",
      event_properties: "",
    },
    {
      event_datetime: `${yesterday}T13:00:00.000+09:00`,
      event_category: "app_order_complete",
      channel: "alpha",
      event_value: "-7.5",
      event_label: '\'=1+1, "x"\r',
      is_first_event_per_device_id: "true",
      tracking_link_id: "",
      event_properties: '{"sku":"A","n":1}',
    },
  ]);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  assert.is(response.headers.get("etag"), `"${sha256}"`);
  assert.equal(await recordedOf(reportId), { rows: 2, sha256 });
  first = { url, reportId, bytes };
});

exporting("is the same as Parquet, with types", async () => {
  const { response, bytes } = await download(`${first.url}&format=parquet`);
  assert.is(response.headers.get("content-type"), "application/vnd.apache.parquet");
  const table = tableFromIPC(readParquet(new Uint8Array(bytes)).intoIPCStream());
  assert.equal(
    table.toArray().map((row) => row?.toJSON()),
    rowsOf(first.bytes).map((row) => ({
      event_datetime: Date.parse(row.event_datetime ?? ""),
      event_category: row.event_category,
      channel: row.channel,
      event_value: row.event_value === "" ? null : Number(row.event_value),
      event_label: row.event_label === "" ? null : '=1+1, "x"\r',
      is_first_event_per_device_id: row.is_first_event_per_device_id === "true",
      tracking_link_id: null,
      event_properties: row.event_properties === "" ? null : row.event_properties,
    })),
  );
});

exporting("resumes where a download broke off", async () => {
  const { url, bytes } = first;
  const etag = `"${createHash("sha256").update(bytes).digest("hex")}"`;
  const half = Math.floor(bytes.length / 2);
  const rest = await download(url, { Range: `bytes=${half}-`, "If-Range": etag });
  assert.is(rest.response.status, 206);
  assert.is(rest.response.headers.get("content-range"), `bytes ${half}-${bytes.length - 1}/${bytes.length}`);
  assert.equal(Buffer.concat([bytes.subarray(0, half), rest.bytes]), bytes);
  const other = await download(url, { Range: `bytes=${half}-`, "If-Range": '"another"' });
  assert.equal([other.response.status, other.bytes], [200, bytes]);
});

exporting("gives the same bytes after later events, another winner, a kill -9 and a rebuild", async () => {
  // A click that arrives late takes the install from its winner, and an earlier install makes it a re-install.
  await click("beta", "11:00");
  await happen("app_install", "09:00");
  await happen("app_order_complete", "14:00", "phone", { value: 3 });
  const pending = await requestExport();
  await shop.restart();
  const later = await download(await urlOf(pending));
  const byChannel = rowsOf(later.bytes).map(({ event_category, channel }) => `${event_category} ${channel}`);
  assert.equal(byChannel, [
    "app_install unattributed",
    "app_install beta",
    "app_order_complete beta",
    "app_order_complete beta",
  ]);
  assert.equal((await download(first.url)).bytes, first.bytes);
  assert.is((await runProgram(["projection", "rebuild", "--all"], { DATA_DIR: shop.data })).code, 0);
  assert.equal((await download(first.url)).bytes, first.bytes);
  assert.equal((await download(await urlOf(first.reportId))).bytes, first.bytes);
});

exporting("sums up to the report of the same range", async () => {
  const query = {
    from: yesterday,
    to: yesterday,
    groupBys: ["channel"],
    metrics: ["app_installs", "app_order_complete", "app_revenue"],
    filters: [],
    sorts: [],
  };
  const { pages } = await runReport<ActualsPage>(owner(), "actuals", "shop", query);
  const rows = rowsOf((await download(await urlOf(await requestExport()))).bytes);
  const sum = (channel: string, category: string, of: (row: (typeof rows)[number]) => number): number =>
    rows
      .filter((row) => row.channel === channel && row.event_category === category)
      .reduce((total, row) => total + of(row), 0);
  const summed = ["beta", "unattributed"].map((channel) => [
    channel,
    sum(channel, "app_install", () => 1),
    sum(channel, "app_order_complete", () => 1),
    sum(channel, "app_order_complete", ({ event_value }) => Number(event_value)),
  ]);
  const reported = pages.flatMap(({ actuals }) =>
    actuals.data.rows.map(({ groupBys, values }) => [
      groupBys[0],
      ...query.metrics.map((metric) => values[metric]?.value ?? 0),
    ]),
  );
  assert.equal(summed, reported.sort());
});

exporting("rejects addresses that were changed, or are not signed", async () => {
  const { url } = first;
  const changed = [
    url.replace(/expires=(\d+)/, (_, expires) => `expires=${Number(expires) + 1}`),
    url.replace(/signature=(.)/, (_, letter) => `signature=${letter === "0" ? "1" : "0"}`),
    url.replace(/signature=.*/, ""),
    url.replace(/downloads\/(\d+)/, (_, id) => `downloads/${Number(id) + 1}`),
    `${url}&signature=00`,
  ];
  for (const other of changed) {
    const { response, bytes } = await download(other);
    assert.equal([response.status, JSON.parse(bytes.toString()).code], [403, "SIGNATURE_INVALID"], other);
  }
});

exporting.run();
