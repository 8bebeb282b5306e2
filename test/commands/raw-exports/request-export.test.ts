import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sha256 } from "../../../commands/derived-ids.ts";
import { eventMetadata } from "../../../commands/event-metadata.ts";
import { createKeyedRequests } from "../../../commands/idempotency/keyed-requests.ts";
import { rawExportRoutes } from "../../../commands/raw-exports/routes.ts";
import { reportIdOf } from "../../../domain/raw-exports/report-id.ts";
import { idempotencyStream, rawExportsStream } from "../../../domain/streams.ts";
import { addDays, localDate, startOfDay } from "../../../domain/values/local-time.ts";
import { EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { shop } from "../../examples/app.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { type Application, type Parts, servedShop, startApplication } from "../../support/application.ts";
import type { Answer } from "../../support/raw-client.ts";
import { errorsOf, problemOf } from "../../support/short-faults.ts";

/** A zone in which it is about noon, so that no test sees a date change. */
const hoursToNoon = 12 - new Date().getUTCHours();
const timezone = `Etc/GMT${hoursToNoon < 0 ? "+" : "-"}${Math.abs(hoursToNoon)}`;
const today = localDate(timezone, Date.now());
const dateRange = { start: `${today} 00:00:00`, end: `${today} 23:59:59` };
/** Installs of today, each with its id. */
const installs = { dateRange, events: ["app_install"], properties: ["event_id"] };
const idOf = (number: number, date = today): number => reportIdOf({ appId: shop.appId, date, number });

/** Two processes over one event store. */
let processes: readonly Application[] = [];
/** The clock of claimed keys. */
let claimedAt = (): Date => new Date();
const open = async (): Promise<void> => {
  const parts: Pick<Parts, "apps" | "deps"> = {
    apps: [{ ...servedShop, timezone }],
    deps: (log) => ({ keyed: createKeyedRequests({ log, now: () => claimedAt() }) }),
  };
  const first = await startApplication({ ...parts, routes: ({ log }) => rawExportRoutes({ log }) });
  const { log } = first;
  processes = [first, await startApplication({ ...parts, log, routes: rawExportRoutes({ log }) })];
};
const close = async (): Promise<void> => {
  for (const application of [...processes].reverse()) await application.close();
};
const first = (): Application => processes[0] as Application;

interface Requesting {
  readonly type?: string;
  readonly token?: string;
  readonly process?: 0 | 1;
  readonly key?: string;
}
const request = (body: object, { type = "app", token = "owner", process = 0, key }: Requesting = {}) => {
  const headers = key === undefined ? {} : { "Idempotency-Key": key };
  const path = `/log-export/api/v3/apps/shop/${type}/request`;
  return (processes[process] as Application).call("POST", path, { token, headers, body });
};
const events = (date = today) => first().events(rawExportsStream(shop.appId, date));
const idIn = ({ json }: Answer): number => (json as { readonly data: { readonly reportID: number } }).data.reportID;

/** Fills a day of the shop up to that many exports. */
async function fill(count: number, date = today): Promise<void> {
  const found = await events(date);
  const occurredAt = new Date().toISOString();
  const { events: keys, properties } = installs;
  const query = { type: "app", ...dateRange, events: keys, properties, filters: [] };
  const requested = Array.from({ length: count - found.length }, (_, index) => {
    const reportId = idOf(found.length + index + 1, date);
    const commandId = exampleUuid("fill", reportId);
    const cause = { actor: { kind: "operator" }, requestId: commandId, occurredAt } as const;
    const data = { reportId, appId: shop.appId, commandId, query, requestedAt: occurredAt };
    const metadata = eventMetadata("ExportRequested", cause);
    return { id: exampleUuid("filled", reportId), type: "ExportRequested", data, metadata };
  });
  const revision = found.at(-1)?.revision ?? "no_stream";
  await first().log.append(rawExportsStream(shop.appId, date), revision, requested);
}

const requesting = suite("requesting an export");
requesting.before(open);
requesting.after(close);

requesting("records the query, and responds with the instant and the id once the to-do list shows it", async () => {
  const filters = [{ field: "channel", filterType: "EXIST", values: ["ignored"] }];
  const body = { ...installs, events: ["app_install", "app_open", "app_install"], filters };
  const before = Date.now();
  const { status, json, headers } = await request(body, { type: "web", token: "in_house" });
  const { at } = json as { readonly at: number };
  assert.equal([status, json], [200, { at, data: { reportID: idOf(1) } }]);
  assert.ok(Number.isInteger(at) && at >= before && at <= Date.now());

  const [event, ...others] = await events();
  assert.equal([event?.type, others], ["ExportRequested", []]);
  assert.equal(event?.data, {
    reportId: idOf(1),
    appId: shop.appId,
    commandId: headers["x-request-id"],
    query: {
      ...{ type: "web", ...dateRange, events: ["app_install", "app_open"], properties: ["event_id"] },
      filters: [{ dimension: "channel", filterType: "EXIST", values: [] }],
    },
    requestedAt: new Date(at).toISOString(),
  });
  assert.equal(event?.metadata.actor, { kind: "token", tokenId: "id-of-in_house", role: "in_house_marketer" });
  const position = event?.position.commit;
  assert.equal([headers["x-log-position"], first().waitedFor.at(-1)], [String(position), ["control", position]]);
});

requesting("is one export a request, of the same query too", async () => {
  const id = idIn(await request(installs));
  assert.equal(
    [idIn(await request(installs)), idIn(await request({ ...installs, events: ["app_open"] }))],
    [id + 1, id + 2],
  );
});

requesting("of an unknown type is 404, of a known one limited to its events", async () => {
  for (const type of ["apps", "APP", "tracking_link", "toString", "%20app"]) {
    const { code, errors } = problemOf(await request(installs, { type }));
    assert.equal([code, errors], ["NOT_FOUND", [["path", "type", "not_allowed"]]], type);
  }
  assert.match(
    (await request(installs, { type: "tracking_link" })).text,
    "tracking_link (did you mean tracking-link?)",
  );
  const touchpoints = { ...installs, events: ["click", "impression"] };
  assert.is((await request(touchpoints, { type: "tracking-link" })).status, 200);
  const faults = errorsOf(await request(installs, { type: "tracking-link" }));
  assert.equal(faults, [["body", "events", 0, "not_allowed"]]);
});

const filter = { dimension: "channel", filterType: "IN", values: ["a"] };
const times = <Item>(count: number, item: Item): readonly Item[] => Array.from({ length: count }, () => item);
const tomorrow = addDays(today, 1);
const bodies: readonly (readonly [string, object, ...(readonly (string | number)[])[]])[] = [
  ["100 filters", { filters: times(100, filter) }],
  ["101 filters", { filters: times(101, filter) }, ["filters", "too_long"]],
  ["no filters", { filters: [] }],
  ["200 events", { events: times(200, "app_install") }],
  ["201 events", { events: times(201, "app_install") }, ["events", "too_long"]],
  ["no event", { events: [] }, ["events", "too_short"]],
  ["no property", { properties: [] }, ["properties", "too_short"]],
  ["missing events", { events: undefined }, ["events", "missing"]],
  ["missing properties", { properties: undefined }, ["properties", "missing"]],
  ["a missing range", { dateRange: undefined }, ["dateRange", "missing"]],
  ["a missing end", { dateRange: { start: dateRange.start } }, ["dateRange", "end", "missing"]],
  ["an end tomorrow, in the app's time zone", { dateRange: { ...dateRange, end: `${tomorrow} 00:00:00` } }],
  [
    "a start tomorrow",
    { dateRange: { start: `${tomorrow} 00:00:00`, end: `${tomorrow} 00:00:01` } },
    ["dateRange", "start", "out_of_range"],
  ],
  [
    "several faults",
    { events: ["app_install", "click"], properties: ["event_id", "clicks"] },
    ["events", 1, "not_allowed"],
    ["properties", 1, "not_allowed"],
  ],
];
for (const [what, change, ...faults] of bodies) {
  requesting(`with ${what} is ${faults.length === 0 ? "accepted" : "rejected at the path of each fault"}`, async () => {
    const answer = await request({ ...installs, ...change });
    assert.is(answer.status, faults.length === 0 ? 200 : 400, answer.text);
    assert.equal(
      errorsOf(answer),
      faults.map((path) => ["body", ...path]),
    );
  });
}

const limit = suite("the limit of 100 exports a day and app");
limit.before.each(open);
limit.after.each(close);

limit("responds with 429 until midnight in the app's time zone, after faults of the request", async () => {
  await fill(99);
  assert.is(idIn(await request(installs)), idOf(100));
  const secondsToMidnight = (): number => (startOfDay(timezone, tomorrow) - Date.now()) / 1_000;
  const before = secondsToMidnight();
  const answer = await request(installs);
  assert.equal([answer.status, problemOf(answer).code], [429, "EXPORT_LIMIT_REACHED"]);
  const retryAfter = Number(answer.headers["retry-after"]);
  assert.ok(retryAfter >= secondsToMidnight() && retryAfter <= Math.ceil(before), `${retryAfter} of ${before} s`);
  assert.is((await request({ ...installs, events: ["click"] })).status, 400);
});

limit("holds for two concurrent processes, which use each id once", async () => {
  await fill(97);
  const answers = await Promise.all(([0, 1, 0, 1, 0, 1] as const).map((process) => request(installs, { process })));
  const accepted = answers.filter(({ status }) => status === 200);
  assert.equal(
    accepted.map(idIn).sort(),
    [98, 99, 100].map((number) => idOf(number)),
  );
  assert.equal(answers.map(({ status }) => status).sort(), [200, 200, 200, 429, 429, 429]);
  assert.is((await events()).length, 100);
});

limit("stores no 429 under an Idempotency-Key, so that the request can be repeated the next day", async () => {
  await fill(100);
  const answers = [await request(installs, { key: "full" }), await request(installs, { key: "full", process: 1 })];
  assert.equal(
    answers.map(({ status, headers }) => [status, headers["idempotent-replayed"]]),
    [
      [429, undefined],
      [429, undefined],
    ],
  );
  const ofKey = await first().events(idempotencyStream(shop.appId, sha256("full").toString("hex")));
  assert.equal(
    ofKey.map(({ type }) => type),
    ["IdempotencyKeyClaimed"],
  );
});

const keyed = suite("an export with an Idempotency-Key");
keyed.before(open);
keyed.after(close);

keyed("is one export with one response, also from two processes and when the day is full since", async () => {
  const answers = await Promise.all(
    ([0, 1, 0, 1] as const).map((process) => request(installs, { key: "one", process })),
  );
  assert.is(new Set(answers.map(idIn)).size, 1);
  await fill(100);
  const again = await request(installs, { key: "one", process: 1 });
  assert.equal([again.text, again.headers["idempotent-replayed"]], [answers[0]?.text, "true"]);
  assert.is((await request(installs, { key: "other" })).status, 429);
});

keyed("is 409 with another body, or of another type", async () => {
  for (const [body, type] of [
    [{ ...installs, events: ["app_open"] }, "app"],
    [installs, "web"],
  ] as const) {
    assert.is(problemOf(await request(body, { key: "one", type })).code, "IDEMPOTENCY_KEY_REUSED");
  }
});

const repeated = suite("an export with an Idempotency-Key that was claimed yesterday");
const yesterday = addDays(today, -1);
const ofYesterday = { ...installs, dateRange: { start: `${yesterday} 00:00:00`, end: `${yesterday} 23:59:59` } };
repeated.before.each(async () => {
  claimedAt = () => new Date(Date.now() - 23 * 3_600_000);
  await open();
});
repeated.after.each(close);

repeated("is one export, of yesterday", async () => {
  let appends = 0;
  first().circumstances.beforeAppend = (stream) => {
    if (stream.startsWith("idempotency-") && appends++ === 1) throw new EventLogUnavailable("the network is down");
  };
  assert.is((await request(ofYesterday, { key: "one" })).status, 503);
  assert.is(idIn(await request(ofYesterday, { key: "one", process: 1 })), idOf(1, yesterday));
  assert.equal([(await events(yesterday)).length, (await events()).length], [1, 0]);
});

repeated("is of today if yesterday is full", async () => {
  await fill(100, yesterday);
  assert.is(idIn(await request(ofYesterday, { key: "one" })), idOf(1));
  assert.equal([(await events(yesterday)).length, (await events()).length], [100, 1]);
});

requesting.run();
limit.run();
keyed.run();
repeated.run();
