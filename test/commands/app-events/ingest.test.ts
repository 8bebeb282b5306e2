import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appEventRoutes } from "../../../commands/app-events/ingest.ts";
import { deviceKey } from "../../../commands/derived-ids.ts";
import type { AppEventRecorded } from "../../../domain/app-events/events.ts";
import { deviceRoutes } from "../../../read-api/app-events/device-routes.ts";
import { shop } from "../../examples/app.ts";
import type { Answer, Call } from "../../support/client.ts";
import { startIngest } from "../../support/ingest.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const mebibyte = 1024 * 1024;
const path = `/events/v1/apps/${shop.name}/app-events`;

const {
  call,
  events: recorded,
  close,
} = await startIngest((journals) => [...appEventRoutes({ journals }), ...deviceRoutes({ deviceKey })]);

interface Taken {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly { readonly index: number; readonly code: string; readonly message: string }[];
  readonly devices: Readonly<Record<string, string>>;
}

const opened = (changes: object = {}) => ({
  eventId: randomUUID(),
  eventTimestamp: Date.now(),
  category: "app_open",
  device: { id: "phone" },
  ...changes,
});
const send = (events: readonly unknown[], more: Call = {}): Promise<Answer> =>
  call("POST", path, { token: "owner", body: { events }, ...more });
const take = async (events: readonly unknown[], more: Call = {}): Promise<Taken> => {
  const { status, json } = await send(events, more);
  assert.is(status, 202);
  return (json as { data: Taken }).data;
};
const codesOf = ({ rejected }: Taken) => rejected.map(({ index, code }) => [index, code]);
const storedUnder = async (eventId: string) =>
  (await recorded()).filter(({ id }) => id === eventId) as unknown as readonly AppEventRecorded[];

const accepted = suite("app events that are taken");

accepted("are in the log under their own ids, before the answer that names the last one's position", async () => {
  const events = [opened(), opened({ eventId: randomUUID().toUpperCase(), device: { id: "tablet" } })];
  const { status, headers, json } = await send(events);
  assert.is(status, 202);
  const [phone, tablet] = ["phone", "tablet"].map((id) => deviceKey(shop.salt, id));
  assert.equal(json, { data: { accepted: 2, duplicates: 0, rejected: [], devices: { phone, tablet } } });
  const stored = (await recorded()).slice(-2);
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

accepted("are told from those known already, in the request and from before", async () => {
  const [one, other] = [opened(), opened()];
  const again = { ...one, eventId: one.eventId.toUpperCase() };
  const first = await take([one, other, again]);
  const second = await take([other, opened()]);
  assert.equal([first.accepted, first.duplicates, second.accepted, second.duplicates], [2, 1, 1, 1]);
  assert.is((await storedUnder(one.eventId)).length, 1);
  const { headers, json } = await send([one]);
  assert.is(headers["x-log-position"], undefined);
  assert.is((json as { data: Taken }).data.duplicates, 1);
});

accepted("come gzip-encoded, too", async () => {
  const body = gzipSync(JSON.stringify({ events: [opened()] }));
  assert.is((await take([], { body, headers: { "Content-Encoding": "gzip" } })).accepted, 1);
});

accepted("name any device, also one that is called __proto__", async () => {
  const { devices } = await take([opened({ device: { id: "__proto__" } })]);
  assert.equal(Object.entries(devices), [["__proto__", deviceKey(shop.salt, "__proto__")]]);
});

accepted("get address and user agent of the connection from SDKs and pages, never from servers", async () => {
  const headers = { "User-Agent": `Shop/1.0 ${"x".repeat(5_000)}` };
  const persons: unknown[] = [];
  for (const token of ["sdk", "web", "owner", "in_house"]) {
    const event = opened();
    await take([event], { token, headers });
    persons.push((await storedUnder(event.eventId))[0]?.data.person);
  }
  const connected = { deviceId: "phone", ip: "127.0.0.1", userAgent: headers["User-Agent"].slice(0, 1_024) };
  assert.equal(persons, [connected, connected, { deviceId: "phone" }, { deviceId: "phone" }]);
});

const rejected = suite("one bad event among good ones");

rejected("is named with its place, a code and words; the others are taken", async () => {
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
    ["UNKNOWN_CURRENCY", opened({ value: 1, currency: "XYZ" })],
    ["UNKNOWN_COUNTRY", opened({ device: { id: "phone", country: "UK" } })],
  ];
  const answer = await take([opened(), ...bad.map(([, event]) => event), opened()]);
  assert.equal([answer.accepted, answer.duplicates], [2, 0]);
  assert.equal(
    codesOf(answer),
    bad.map(([code], index) => [index + 1, code]),
  );
});

rejected("is one with a number beyond a double, and with the key __proto__", async () => {
  const parts = [opened({ value: 1 }), opened({ properties: { a: 1 } }), opened({ properties: { a: 1 } }), opened()];
  const [huge, hugeProperty, proto, good] = parts.map((event) => JSON.stringify(event));
  const body = `{"events":[${huge?.replace('"value":1', '"value":1e400')},${hugeProperty?.replace('"a":1', '"a":1e400')},${proto?.replace('"a":1', '"__proto__":1')},${good}]}`;
  assert.equal(codesOf(await take([], { body })), [
    [0, "INVALID_FIELD"],
    [1, "INVALID_FIELD"],
    [2, "INVALID_FIELD"],
  ]);
});

rejected("is one nested without end", async () => {
  const nested = "[".repeat(20_000) + "]".repeat(20_000);
  const bad = JSON.stringify(opened({ properties: { a: 1 } })).replace('"a":1', `"a":${nested}`);
  const body = `{"events":[${bad},${JSON.stringify(opened())},${nested}]}`;
  const answer = await take([], { body });
  assert.equal(
    [answer.accepted, codesOf(answer)],
    [
      1,
      [
        [0, "INVALID_FIELD"],
        [2, "INVALID_FIELD"],
      ],
    ],
  );
  assert.is((await send([], { body: `{"events":[],"a":${nested}}` })).status, 400);
});

rejected("is one with a device id of other than 1-128 characters", async () => {
  const named = (length: number) => opened({ device: { id: "😀".repeat(length) } });
  assert.equal(codesOf(await take([0, 1, 127, 128, 129].map(named))), [
    [0, "INVALID_FIELD"],
    [4, "INVALID_FIELD"],
  ]);
});

rejected("is one with properties of more than 8 KiB", async () => {
  const sized = (bytes: number) => opened({ properties: { a: "x".repeat(bytes - '{"a":""}'.length) } });
  assert.equal(codesOf(await take([8_191, 8_192, 8_193].map(sized))), [[2, "PROPERTIES_TOO_LARGE"]]);
});

rejected("is one with more than 256 properties", async () => {
  const having = (count: number) =>
    opened({ properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, index])) });
  assert.equal(codesOf(await take([255, 256, 257].map(having))), [[2, "INVALID_FIELD"]]);
});

rejected("is one from more than 10 minutes ahead", async () => {
  const ahead = [10 * minute - 5_000, 10 * minute + 30_000].map((ms) => opened({ eventTimestamp: Date.now() + ms }));
  assert.equal(codesOf(await take(ahead)), [[1, "TIMESTAMP_IN_FUTURE"]]);
});

rejected("is one from longer ago than 31 days, an owner's from longer ago than 800", async () => {
  const ago = (days: number, ms: number) =>
    opened({ eventTimestamp: new Date(Date.now() - days * day + ms).toISOString() });
  const events = () => [ago(31, 5_000), ago(31, -1), ago(800, 5_000), ago(800, -1)];
  const tooOld = (index: number) => [index, "TIMESTAMP_TOO_OLD"];
  assert.equal(codesOf(await take(events())), [3].map(tooOld));
  for (const token of ["in_house", "sdk", "web"]) {
    assert.equal(codesOf(await take(events(), { token })), [1, 2, 3].map(tooOld), token);
  }
});

const refused = suite("a request that is refused as a whole");

refused("has other than 1-500 events, or anything beside them", async () => {
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

refused("meets a full journal, or an event store that does not answer", async () => {
  const server = await startIngest((journals) => appEventRoutes({ journals }), {
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

devices("is looked up by the device id, with the same answer as on ingest", async () => {
  const id = "phone / 1 é";
  const { devices: ofIngest } = await take([opened({ device: { id } })]);
  const statuses: Record<string, number> = {};
  for (const token of ["owner", "in_house", "sdk", "web", "agency", "media_partner", "link"]) {
    const { status, json } = await call("GET", `/events/v1/apps/shop/devices/${encodeURIComponent(id)}`, { token });
    statuses[token] = status;
    if (status === 200) assert.equal(json, { data: { userId: ofIngest[id] } });
  }
  assert.equal(statuses, { owner: 200, in_house: 200, sdk: 200, web: 200, agency: 403, media_partner: 403, link: 403 });
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

devices.after(close);
accepted.run();
rejected.run();
refused.run();
devices.run();
