import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { deviceKey } from "../../../commands/derived-ids.ts";
import type { AppEventRecorded } from "../../../domain/app-events/events.ts";
import { deviceRoutes } from "../../../read-api/app-events/routes.ts";
import { type AttributionReadOptions, attributionReadRoutes } from "../../../read-api/attribution/routes.ts";
import { shop } from "../../examples/app.ts";
import { otherShop } from "../../support/application.ts";
import { appEventIngest, bulkIngestClient, type IngestOutcome, startIngest } from "../../support/ingest.ts";
import { type Answer, statusesOf } from "../../support/raw-client.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const mebibyte = 1024 * 1024;
const path = `/events/v1/apps/${shop.name}/app-events`;

const application = await startIngest((journals) => [
  ...appEventIngest(journals),
  ...deviceRoutes({ deviceKey }),
  ...attributionReadRoutes({
    attributionOf: async () => ({ outcome: "unknown" }),
  } as unknown as AttributionReadOptions),
]);
const { call } = application;
const { send, ingest, storedWith } = bulkIngestClient(application, path, "events");

const opened = (changes: object = {}) => ({
  eventId: randomUUID(),
  eventTimestamp: Date.now(),
  category: "app_open",
  device: { id: "phone" },
  ...changes,
});

const accepted = suite("accepted app events");

accepted("are in the log under their event ids before the response with the last position", async () => {
  const events = [opened(), opened({ eventId: randomUUID().toUpperCase(), device: { id: "tablet" } })];
  const { status, headers, json } = await send(events);
  assert.is(status, 202);
  const [phone, tablet] = ["phone", "tablet"].map((id) => deviceKey(shop.salt, id));
  assert.equal(json, { data: { accepted: 2, duplicates: 0, rejected: [], devices: { phone, tablet } } });
  const stored = (await application.events()).slice(-2);
  assert.equal(
    stored.map(({ id, type, metadata }) => [id, type, metadata.actor, metadata.requestId]),
    events.map(({ eventId }) => [
      eventId.toLowerCase(),
      "AppEventRecorded",
      { kind: "token", tokenId: "id-of-owner", role: "owner" },
      headers["x-request-id"],
    ]),
  );
  assert.is(headers["x-log-position"], stored[1]?.position.commit.toString());
});

accepted("are counted once; repetitions are duplicates, within a request and across requests", async () => {
  const [one, other] = [opened(), opened()];
  const again = { ...one, eventId: one.eventId.toUpperCase() };
  const first = await ingest([one, other, again]);
  const second = await ingest([other, opened()]);
  assert.equal([first.accepted, first.duplicates, second.accepted, second.duplicates], [2, 1, 1, 1]);
  assert.is((await storedWith(one.eventId)).length, 1);
  // A repeated request has the position of the events that it repeats, also when a later request came in between.
  const batch = [opened(), opened()];
  const { headers } = await send(batch);
  await send([opened()]);
  const repeated = await send(batch);
  assert.is(repeated.headers["x-log-position"], headers["x-log-position"]);
  assert.is((repeated.json as { data: IngestOutcome }).data.duplicates, 2);
});

accepted("may have the id of an event of another app", async () => {
  const event = opened();
  await ingest([event]);
  const other = bulkIngestClient(application, path.replace(shop.name, otherShop.name), "events");
  const { accepted, duplicates } = await other.ingest([event], { token: "other_owner" });
  const streams = (await storedWith(event.eventId)).map(({ stream }) => stream.replace(/_.*/, ""));
  assert.equal([accepted, duplicates, streams], [1, 0, ["appEvents-1", "appEvents-2"]]);
});

accepted("are waited for by a read of the caller that finds nothing", async () => {
  application.waitedFor.length = 0;
  const { headers } = await send([opened()]);
  await call("GET", `/admin/v1/apps/${shop.name}/attributions/${randomUUID()}`, { token: "owner" });
  assert.equal(application.waitedFor, [["facts", BigInt(String(headers["x-log-position"]))]]);
});

accepted("may be gzip-encoded", async () => {
  const body = gzipSync(JSON.stringify({ events: [opened()] }));
  assert.is((await ingest([], { body, headers: { "Content-Encoding": "gzip" } })).accepted, 1);
});

accepted("may be beacons, which have no headers: text with the web token in the address", async () => {
  const event = opened();
  const body = JSON.stringify({ events: [event] });
  const beacon = (query: string, token?: string) =>
    call("POST", `${path}/beacon${query}`, {
      ...(token !== undefined && { token }),
      ...{ body, headers: { "Content-Type": "text/plain;charset=UTF-8" } },
    });
  assert.equal(statusesOf([await beacon("?token=web"), await beacon("", "web")]), [202, 202]);
  assert.is((await storedWith(event.eventId)).length, 1);
  const refused = ["?token=web&token=web", "?token=unknown", "?token=", "?token=sdk", "?token=owner"];
  assert.equal(statusesOf(await Promise.all(refused.map((query) => beacon(query)))), [401, 401, 401, 403, 403]);
  assert.is((await beacon("?token=web", "unknown")).status, 401);
  assert.is((await call("POST", `${path}?token=web`, { body })).status, 401);
});

accepted("may name a device __proto__", async () => {
  const { devices } = await ingest([opened({ device: { id: "__proto__" } })]);
  assert.equal(Object.entries(devices), [["__proto__", deviceKey(shop.salt, "__proto__")]]);
});

accepted("get the address and user agent of the connection from SDK and web tokens only", async () => {
  const headers = { "User-Agent": `Shop/1.0 ${"x".repeat(5_000)}` };
  const persons: unknown[] = [];
  for (const token of ["sdk", "web", "owner", "in_house"]) {
    const event = opened();
    await ingest([event], { token, headers });
    const [stored] = await storedWith(event.eventId);
    persons.push((stored as unknown as AppEventRecorded | undefined)?.data.person);
  }
  const connected = { deviceId: "phone", ip: "127.0.0.1", userAgent: headers["User-Agent"].slice(0, 1_024) };
  assert.equal(persons, [connected, connected, { deviceId: "phone" }, { deviceId: "phone" }]);
});

accepted("lack what is an empty text in them", async () => {
  const event = opened({ source: "", device: { id: "phone", os: "", gaid: "", ip: "", userAgent: "" } });
  await ingest([event], { token: "sdk", headers: { "User-Agent": "Shop/1.0" } });
  const [stored] = await storedWith(event.eventId);
  const { source, device, person } = (stored as unknown as AppEventRecorded).data;
  assert.equal(
    { source, device, person },
    { source: "app", device: {}, person: { deviceId: "phone", ip: "127.0.0.1", userAgent: "Shop/1.0" } },
  );
});

accepted("may describe the device in any form", async () => {
  const descriptions: readonly object[] = [
    { country: "Korea", model: "x".repeat(10_000), userAgent: "y".repeat(10_000), osVersion: 17 },
    { country: null, language: {}, timezone: [], appVersion: true },
  ];
  const events = descriptions.map((description) => opened({ device: { id: "phone", ...description } }));
  const nested = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const body = JSON.stringify({ events }).replace('"language":{}', `"language":${nested}`);
  const answer = await ingest([], { body });
  assert.equal([answer.accepted, answer.rejected], [2, []]);
});

const rejected = suite("an invalid event among valid ones");

rejected("is reported with its index and code; the others are accepted", async () => {
  const bad: readonly (readonly [code: string, event: unknown])[] = [
    ["INVALID_FIELD", null],
    ["INVALID_FIELD", { ...opened(), category: undefined, device: undefined }],
    ["INVALID_FIELD", opened({ colour: "red" })],
    ["INVALID_FIELD", opened({ device: { id: "phone", os: "android" } })],
    ["INVALID_FIELD", opened({ device: { id: "phone", ip: "1.2.3" } })],
    ["INVALID_FIELD", opened({ value: "1" })],
    ["INVALID_FIELD", opened({ properties: { a: {} } })],
    ["INVALID_TEXT", opened({ label: "a\0" })],
    ["INVALID_TEXT", opened({ properties: { "\ud800": 1 } })],
    ["INVALID_EVENT_ID", opened({ eventId: "1" })],
    ["INVALID_TIMESTAMP", opened({ eventTimestamp: "2026-01-01" })],
    ["UNKNOWN_CATEGORY", opened({ category: "app_opens" })],
    ["UNKNOWN_CATEGORY", opened({ category: `custom:${"x".repeat(129)}` })],
    ["UNKNOWN_CATEGORY", opened({ category: `custom:${"x".repeat(2_000)}` })],
    ["UNKNOWN_CURRENCY", opened({ value: 1, currency: "XYZ" })],
    ["UNKNOWN_CURRENCY", opened({ value: 1, currency: "EURO" })],
  ];
  const answer = await ingest([opened(), ...bad.map(([, event]) => event), opened()]);
  assert.equal([answer.accepted, answer.duplicates], [2, 0]);
  assert.equal(
    answer.rejected,
    bad.map(([code], index) => [index + 1, code]),
  );
});

rejected("has a number beyond a double, or the key __proto__", async () => {
  const parts = [opened({ value: 1 }), opened({ properties: { a: 1 } }), opened({ properties: { a: 1 } }), opened()];
  const [huge, hugeProperty, proto, good] = parts.map((event) => JSON.stringify(event));
  const body = `{"events":[${huge?.replace('"value":1', '"value":1e400')},${hugeProperty?.replace('"a":1', '"a":1e400')},${proto?.replace('"a":1', '"__proto__":1')},${good}]}`;
  assert.equal((await ingest([], { body })).rejected, [
    [0, "INVALID_FIELD"],
    [1, "INVALID_FIELD"],
    [2, "INVALID_FIELD"],
  ]);
});

rejected("is nested 20,000 levels deep", async () => {
  const nested = "[".repeat(20_000) + "]".repeat(20_000);
  const bad = JSON.stringify(opened({ properties: { a: 1 } })).replace('"a":1', `"a":${nested}`);
  const body = `{"events":[${bad},${JSON.stringify(opened())},${nested}]}`;
  const answer = await ingest([], { body });
  const expected = [0, 2].map((index) => [index, "INVALID_FIELD"]);
  assert.equal([answer.accepted, answer.rejected], [1, expected]);
});

rejected("has a device id of other than 1 to 128 characters", async () => {
  const named = (length: number) => opened({ device: { id: "😀".repeat(length) } });
  assert.equal((await ingest([0, 1, 127, 128, 129].map(named))).rejected, [
    [0, "INVALID_FIELD"],
    [4, "INVALID_FIELD"],
  ]);
});

rejected("has properties of more than 8 KiB", async () => {
  const sized = (bytes: number) => opened({ properties: { a: "x".repeat(bytes - '{"a":""}'.length) } });
  assert.equal((await ingest([8_191, 8_192, 8_193].map(sized))).rejected, [[2, "PROPERTIES_TOO_LARGE"]]);
});

rejected("has more than 256 properties", async () => {
  const having = (count: number) =>
    opened({ properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, index])) });
  assert.equal((await ingest([255, 256, 257].map(having))).rejected, [[2, "INVALID_FIELD"]]);
});

rejected("is more than 10 minutes in the future", async () => {
  const ahead = [10 * minute - 5_000, 10 * minute + 30_000].map((ms) => opened({ eventTimestamp: Date.now() + ms }));
  assert.equal((await ingest(ahead)).rejected, [[1, "TIMESTAMP_IN_FUTURE"]]);
});

rejected("is older than 31 days, or 800 days for an owner", async () => {
  const ago = (days: number, ms: number) =>
    opened({ eventTimestamp: new Date(Date.now() - days * day + ms).toISOString() });
  const events = () => [ago(31, 5_000), ago(31, -1), ago(800, 5_000), ago(800, -1)];
  const tooOld = (index: number) => [index, "TIMESTAMP_TOO_OLD"];
  assert.equal((await ingest(events())).rejected, [3].map(tooOld));
  for (const token of ["in_house", "sdk", "web"]) {
    assert.equal((await ingest(events(), { token })).rejected, [1, 2, 3].map(tooOld), token);
  }
});

const refused = suite("a rejected request");

refused("has other than 1 to 500 events, or an unknown field", async () => {
  const many = (count: number) => Array.from({ length: count }, () => opened());
  const statuses = [];
  for (const count of [0, 1, 499, 500, 501]) statuses.push((await send(many(count))).status);
  assert.equal(statuses, [400, 202, 202, 202, 400]);
  for (const body of [{}, { events: {} }, { events: [opened()], more: 1 }, []]) {
    const { status, json } = await send([], { body });
    assert.equal([status, (json as { code: string }).code], [400, "VALIDATION_FAILED"]);
  }
  const { status, json } = await send([], { body: '{"events":[' });
  assert.equal([status, (json as { code: string }).code], [400, "INVALID_JSON"]);
});

refused("has a body of more than 5 MiB, as sent or inflated", async () => {
  const sized = (bytes: number) => {
    const text = JSON.stringify({ events: [opened()] });
    return text + " ".repeat(bytes - text.length);
  };
  const limit = 5 * mebibyte;
  const statuses = [];
  for (const bytes of [limit - 1, limit, limit + 1]) {
    statuses.push((await send([], { body: sized(bytes) })).status);
    const body = gzipSync(sized(bytes));
    statuses.push((await send([], { body, headers: { "Content-Encoding": "gzip" } })).status);
  }
  assert.equal(statuses, [202, 202, 202, 202, 413, 413]);
});

refused("meets a full journal or an unavailable event store", async () => {
  const server = await startIngest(appEventIngest, {
    maxWaitingEvents: 2,
    retryForMs: 0,
    initialBackoffMs: 1,
  });
  const post = (count: number) => {
    const body = { events: Array.from({ length: count }, () => opened()) };
    return server.call("POST", path, { token: "sdk", body });
  };
  const codeOf = ({ status, headers, json }: Answer) => [
    status,
    (json as { code: string }).code,
    headers["retry-after"],
  ];
  assert.is((await post(2)).status, 202);
  assert.equal(codeOf(await post(3)), [503, "OVERLOADED", "1"]);
  await server.stopStore();
  assert.equal(codeOf(await post(1)), [503, "SERVICE_UNAVAILABLE", "2"]);
  await server.close();
});

const devices = suite("the user id of a device");

devices("is the same in the look-up as in the response of an ingest", async () => {
  const id = "phone / 1 é";
  const { devices: ofIngest } = await ingest([opened({ device: { id } })]);
  const found = await call("GET", `/events/v1/apps/shop/devices/${encodeURIComponent(id)}`, { token: "sdk" });
  assert.equal([found.status, found.json], [200, { data: { userId: ofIngest[id] } }]);
  assert.match(ofIngest[id] ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

devices("is refused for a device id of more than 128 characters", async () => {
  const statuses = [];
  for (const length of [127, 128, 129]) {
    const id = encodeURIComponent("😀".repeat(length));
    statuses.push((await call("GET", `/events/v1/apps/shop/devices/${id}`, { token: "sdk" })).status);
  }
  assert.equal(statuses, [200, 200, 400]);
});

devices.after(application.close);
accepted.run();
rejected.run();
refused.run();
devices.run();
