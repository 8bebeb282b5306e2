// time limit: 1200 s
import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addDays, localDate } from "../../domain/values/local-time.ts";
import { runShop } from "../support/running-shop.ts";

/** The environment can set two million, which take minutes to send. */
const eventCount = Number(process.env.EXPORT_EVENTS ?? 4_000);
const perRequest = 500;
const yesterday = addDays(localDate("Asia/Seoul", Date.now()), -1);
const exportPath = "/log-export/api/v3/apps/shop";
const properties = [
  "event_datetime",
  "event_id",
  "event_category",
  "device_id",
  "user_id",
  "channel",
  "campaign",
  "os_name",
  "event_value",
  "event_currency",
  "event_properties",
  "user_agent",
];

const { application, tokens, end } = await runShop();
const load = suite("exports during ingest");
load.after(end);

/** Sends so many events, `perRequest` at a time; the first one carries properties of nearly 8 KiB. */
async function ingest(from: number): Promise<void> {
  const events = Array.from({ length: perRequest }, (_, index) => ({
    eventId: randomUUID(),
    eventTimestamp: Date.parse(`${yesterday}T00:00:00+09:00`) + ((from + index) % 86_400_000),
    category: "app_order_complete",
    value: index / 4 - 20,
    properties: { note: index === 0 ? `="${"x".repeat(8_000)}` : '+1, "quoted"\r\n@end' },
    device: { id: `phone-${(from + index) % 10_000}`, os: "iOS", userAgent: "Shop/1.0 (iPhone; iOS 26)" },
  }));
  await application.client(tokens.api).send("POST", "/events/v1/apps/shop/app-events", { events });
}

/** Waits until the facts have passed everything that was sent: a report or an export waits a minute for them. */
async function untilProjected(): Promise<void> {
  const { baseUrl } = application.run;
  const headers = { authorization: `Bearer ${tokens.api}` };
  const written = await fetch(`${baseUrl}/events/v1/apps/shop/app-events`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({
      events: [
        { eventId: randomUUID(), eventTimestamp: Date.now(), category: "app_open", device: { id: "phone", os: "iOS" } },
      ],
    }),
  });
  const passed = { ...headers, "x-min-position": written.headers.get("x-log-position") ?? "" };
  const reading = `${baseUrl}/admin/v1/apps/shop/uploads/rows?kind=metric`;
  for (let status = 503; status === 503; ) {
    const response = await fetch(reading, { headers: passed });
    await response.arrayBuffer();
    status = response.status;
  }
}

async function exportUrl(): Promise<string> {
  const owner = application.client(tokens.api);
  const query = {
    dateRange: { start: `${yesterday} 00:00:00`, end: `${yesterday} 23:59:59` },
    events: ["app_order_complete"],
    properties,
  };
  const requested = (await owner.send("POST", `${exportPath}/app/request`, query)) as { data: { reportID: number } };
  for (;;) {
    const status = await owner.send("GET", `${exportPath}/request/${requested.data.reportID}`);
    const { url } = (status as { data: { url: string | null } }).data;
    if (url !== null) return url;
    await pause(25);
  }
}

const answerOf = (url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => get(url, resolve).on("error", reject));

interface Downloaded {
  readonly rows: string;
  readonly isWhole: boolean;
}

/** Reads a download to its end and compares it with the hash that it was announced with. */
async function read(response: IncomingMessage): Promise<Downloaded> {
  const hash = createHash("sha256");
  for await (const piece of response) hash.update(piece as Buffer);
  const { etag, "x-row-count": rows } = response.headers;
  return { rows: String(rows), isWhole: etag === `"${hash.digest("hex")}"` };
}

const megabytes = (): number => {
  const status = readFileSync(`/proc/${application.run.pid}/status`, "utf8");
  return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
};

load("three callers and a slow one get whole files, and every event is taken meanwhile", async () => {
  for (let sent = 0; sent < eventCount; sent += 8 * perRequest) {
    await Promise.all(Array.from({ length: 8 }, (_, index) => ingest(sent + index * perRequest)));
  }
  await untilProjected();
  const expected = String(Math.ceil(eventCount / (8 * perRequest)) * 8 * perRequest);
  const since = performance.now();
  const url = await exportUrl();
  console.log(`    ${expected} rows were exported ${Math.round(performance.now() - since)} ms after the request`);
  const before = megabytes();
  // The slow caller takes its first bytes, and the others not until they are all done.
  const slow = await answerOf(url);
  slow.pause();
  const downloads = Promise.all(Array.from({ length: 3 }, async () => read(await answerOf(url))));
  let isOver = false;
  void downloads.finally(() => {
    isOver = true;
  });
  let taken = 0;
  let peak = before;
  do {
    await ingest(eventCount + taken);
    taken += perRequest;
    peak = Math.max(peak, megabytes());
  } while (!isOver);
  const whole = { rows: expected, isWhole: true };
  assert.equal(await downloads, [whole, whole, whole]);
  assert.equal(await read(slow), whole);
  assert.ok(peak - before < 300, `${peak - before} MB more than before`);
  const seconds = ((performance.now() - since) / 1_000).toFixed(1);
  console.log(`    ${taken} events were taken meanwhile; ${(peak - before).toFixed(0)} MB more; ${seconds} s in all`);
  await untilProjected();
  const next = await answerOf(await exportUrl());
  assert.is((await read(next)).rows, String(Number(expected) + taken));
});

load("a caller who hangs up leaves no statement running", async () => {
  const response = await answerOf(await exportUrl());
  response.destroy();
  const reading =
    "select count(*)::integer as count from pg_stat_activity where state = 'active' and query like '%app_event_details%'";
  const client = new pg.Client({ connectionString: application.run.databaseUrl });
  await client.connect();
  try {
    for (let running = 1; running > 0; ) {
      const { rows } = await client.query<{ count: number }>(`${reading} and pid <> pg_backend_pid()`);
      running = rows[0]?.count ?? 0;
    }
  } finally {
    await client.end();
  }
});

load.run();
