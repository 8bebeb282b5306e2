// time limit: 120 s
import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { EventStoreDBClient } from "@eventstore/db-client";
import { parse } from "csv-parse/sync";
import pg from "pg";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runReport } from "../../client/index.ts";
import { localDate } from "../../domain/values/local-time.ts";
import { exportCommand } from "../../infra/cli/commands/export.ts";
import { runCommand, runProgram } from "../support/command-line.ts";
import { runShop } from "../support/running-shop.ts";
import { anAppEvent, trafficOf, yesterday } from "./shop-traffic.ts";

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

async function download(url: string) {
  const response = await fetch(url);
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

exporting("has the rows of its position, and the length and hash in the log", async () => {
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
  const { pages } = await runReport(owner(), "actuals", "shop", query);
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

exporting("is downloaded by the command line, resumed, and written to standard output", async () => {
  const flags = ["--app", "shop", "--url", shop.application.run.baseUrl, "--token", shop.tokens.api];
  const run = (...words: readonly string[]) => runCommand(exportCommand(), [...flags, ...words]);
  const file = (name: string) => join(shop.directory, name);
  const [one, again, parquet] = [file("rows.csv"), file("again.csv"), file("rows.parquet")];
  const query = ["--type", "app", "--from", yesterday, "--to", yesterday, "--events", "app_installs"];
  const requested = await run(...query, "--properties", "event_id,device_id", "--out", one);
  const content = await readFile(one);
  const sha256 = createHash("sha256").update(content).digest("hex");
  const summary = (name: string) => `File     ${name}\nRows     2\nBytes    ${content.length}\nSHA-256  ${sha256}`;
  assert.is(requested.out, summary(one));
  const [, id = ""] = /^Export (\d+) was requested\.$/.exec(requested.err) ?? [];
  await writeFile(`${again}.${id}.part`, content.subarray(0, 20));
  assert.equal(await run("--id", id, "--out", again), { failure: "", out: summary(again), err: "" });
  assert.ok((await readFile(again)).equals(content));
  await run("--id", id, "--format", "parquet", "--out", parquet);
  assert.is((await readFile(parquet)).subarray(-4).toString(), "PAR1");
  const piped = await runProgram(["export", ...flags, "--id", id, "--out", "-"]);
  assert.equal(piped, { code: 0, out: content.toString(), err: `${summary("standard output")}\n` });
  assert.equal(
    (await readdir(shop.directory)).filter((name) => name.endsWith(".part")),
    [],
  );
});

const answerOf = (url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => get(url, resolve).on("error", reject));
const custom = "custom:loaded";
const perRequest = 500;

/** Sends events of yesterday, again while the server is unavailable: a busy machine may be too slow for its store. */
async function load(): Promise<void> {
  const events = Array.from({ length: perRequest }, (_, index) => ({
    ...anAppEvent(custom, "12:00", `phone-${index}`),
    ...{ eventId: randomUUID(), properties: { note: "x".repeat(2_000) } },
  }));
  await shop.application.client(shop.tokens.api, 20_000).send("POST", "/events/v1/apps/shop/app-events", { events });
}

exporting("is complete for three callers and a slow one, while every event is accepted", async () => {
  for (let sent = 0; sent < 8; sent += 1) await load();
  const url = await urlOf(await requestExport("app", [custom]));
  // The slow caller takes its first bytes, and the others not until they are all done.
  const slow = await answerOf(url);
  slow.pause();
  let isOver = false;
  const downloads = Promise.all([1, 2, 3].map(() => download(url))).finally(() => {
    isOver = true;
  });
  let taken = 0;
  do {
    await load();
    taken += 1;
  } while (!isOver);
  const pieces: Buffer[] = [];
  for await (const piece of slow) pieces.push(piece as Buffer);
  for (const { bytes, response } of await downloads) {
    assert.is(response.headers.get("x-row-count"), String(8 * perRequest));
    assert.is(response.headers.get("etag"), `"${createHash("sha256").update(bytes).digest("hex")}"`);
    assert.ok(bytes.equals(Buffer.concat(pieces)));
  }
  const next = await download(await urlOf(await requestExport("app", [custom])));
  assert.is(next.response.headers.get("x-row-count"), String((8 + taken) * perRequest));
});

exporting("leaves no statement running when its caller hangs up", async () => {
  (await answerOf(await urlOf(await requestExport("app", [custom])))).destroy();
  const client = new pg.Client({ connectionString: shop.application.run.databaseUrl });
  await client.connect();
  const running = `select from pg_stat_activity
    where state = 'active' and query like '%app_event_details%' and pid <> pg_backend_pid()`;
  while (((await client.query(running)).rowCount ?? 0) > 0);
  await client.end();
});

exporting.run();
