import { suite } from "uvu";
import * as assert from "uvu/assert";
import { reportIdOf } from "../../../domain/raw-exports/report-id.ts";
import { addDays } from "../../../domain/values/local-time.ts";
import { shop } from "../../examples/app.ts";
import { errorsOf } from "../../support/faults.ts";
import { codeOf, type ExportRequests, idIn, installs, startExportRequests, today } from "./export-requests.ts";

let exports: ExportRequests;
const requesting = suite("requesting an export");
requesting.before(async () => {
  exports = await startExportRequests();
});
requesting.after(() => exports.close());

requesting("answers when it was requested and its id, and records what was asked", async () => {
  const filters = [{ field: "channel", filterType: "EXIST", values: ["ignored"] }];
  const asked = { ...installs, events: ["app_install", "app_open", "app_install"], filters };
  const before = Date.now();
  const answer = await exports.request(asked, { type: "web", token: "in_house" });
  const { at } = answer.json as { readonly at: number };
  const reportID = reportIdOf({ appId: shop.appId, date: today, number: 1 });
  assert.is(answer.status, 200);
  assert.equal(answer.json, { at, data: { reportID } });
  assert.ok(Number.isInteger(at) && at >= before && at <= Date.now());

  const [event, ...others] = await exports.events();
  const { commandId, ...rest } = (event?.data ?? {}) as { readonly commandId?: string };
  assert.equal(others, []);
  assert.is(event?.type, "ExportRequested");
  assert.is(commandId, answer.headers["x-request-id"]);
  assert.equal(rest, {
    reportId: reportID,
    appId: shop.appId,
    query: {
      type: "web",
      start: asked.dateRange.start,
      end: asked.dateRange.end,
      events: ["app_install", "app_open"],
      properties: ["event_id"],
      filters: [{ dimension: "channel", filterType: "EXIST", values: [] }],
    },
    requestedAt: new Date(at).toISOString(),
  });
  assert.equal(event?.metadata.actor, { kind: "token", tokenId: "id-of-in_house", role: "in_house_marketer" });
});

requesting("tells the position of its event, and answers when the to-do list shows it", async () => {
  const answer = await exports.request(installs);
  const position = (await exports.events()).at(-1)?.position.commit;
  assert.is(answer.headers["x-log-position"], String(position));
  assert.equal(exports.waitedFor.at(-1), ["control", position]);
});

requesting("gives each request an export of its own, the same question or not", async () => {
  const first = idIn(await exports.request(installs));
  assert.is(idIn(await exports.request(installs)), first + 1);
  assert.is(idIn(await exports.request({ ...installs, events: ["app_open"] })), first + 2);
});

requesting("takes exports of every type, of the events that it has", async () => {
  for (const type of ["app", "web"]) assert.is((await exports.request(installs, { type })).status, 200);
  const clicks = { ...installs, events: ["click", "impression"] };
  assert.is((await exports.request(clicks, { type: "tracking-link" })).status, 200);
  assert.equal(errorsOf(await exports.request(installs, { type: "tracking-link" })), [
    ["body", "events", 0, "not_allowed"],
  ]);
});

requesting("is for owners and in-house marketers of the app", async () => {
  const codes = async (tokens: readonly (string | null)[], app: string) =>
    Promise.all(tokens.map(async (token) => codeOf(await exports.request({}, { token, app }))));
  assert.equal(await codes([null, "nobody"], "shop"), ["401 UNAUTHORIZED", "401 UNAUTHORIZED"]);
  const strangers = ["agency", "media_partner", "link", "sdk", "web", "operator"];
  assert.equal(
    await codes(strangers, "shop"),
    strangers.map(() => "403 FORBIDDEN"),
  );
  assert.equal(await codes(["other_owner"], "shop"), ["404 APP_NOT_FOUND"]);
  assert.equal(await codes(["owner", "in_house"], "cafe"), ["404 APP_NOT_FOUND", "404 APP_NOT_FOUND"]);
  assert.equal(await codes(["owner", "in_house"], "none"), ["404 APP_NOT_FOUND", "404 APP_NOT_FOUND"]);
  assert.equal(await codes(["owner", "in_house"], "shop"), ["400 VALIDATION_FAILED", "400 VALIDATION_FAILED"]);
});

requesting("of a type that there is not is 404, once the request is sound", async () => {
  for (const type of ["apps", "APP", "tracking_link", "toString", "%20app"]) {
    assert.is(codeOf(await exports.request(installs, { type })), "404 NOT_FOUND");
    assert.is(codeOf(await exports.request({}, { type })), "400 VALIDATION_FAILED");
  }
});

requesting("takes 64 KiB and no more", async () => {
  const ofBytes = (bytes: number): object => {
    const filter = { dimension: "channel", filterType: "LIKE" };
    const empty = JSON.stringify({ ...installs, filters: [{ ...filter, values: [""] }] }).length;
    return { ...installs, filters: [{ ...filter, values: ["x".repeat(bytes - empty)] }] };
  };
  assert.is((await exports.request(ofBytes(64 * 1024 - 1))).status, 200);
  assert.is((await exports.request(ofBytes(64 * 1024))).status, 200);
  assert.is(codeOf(await exports.request(ofBytes(64 * 1024 + 1))), "413 PAYLOAD_TOO_LARGE");
});

requesting("tells every fault of the rules at once, at its place", async () => {
  const tomorrow = addDays(today, 1);
  const answer = await exports.request({
    dateRange: { start: `${today} 24:00:00`, end: `${tomorrow} 00:00:00` },
    events: ["app_install", "click"],
    properties: ["event_id", "clicks", "event_id"],
    filters: [{ dimension: "clicks", filterType: "IN", values: [] }],
  });
  assert.is(codeOf(answer), "400 VALIDATION_FAILED");
  assert.equal(errorsOf(answer), [
    ["body", "dateRange", "start", "wrong_format"],
    ["body", "events", 1, "not_allowed"],
    ["body", "properties", 1, "not_allowed"],
    ["body", "properties", 2, "duplicate"],
    ["body", "filters", 0, "dimension", "not_allowed"],
    ["body", "filters", 0, "values", "too_short"],
  ]);
});

const filter = { dimension: "channel", filterType: "IN", values: ["a"] };
const times = <Item>(count: number, item: Item): readonly Item[] => Array.from({ length: count }, () => item);
const { dateRange } = installs;
const bodies: readonly (readonly [string, object, readonly unknown[]])[] = [
  ["100 filters", { filters: times(100, filter) }, []],
  ["101 filters", { filters: times(101, filter) }, [["body", "filters", "too_long"]]],
  ["no filters", { filters: [] }, []],
  ["200 events", { events: times(200, "app_install") }, []],
  ["201 events", { events: times(201, "app_install") }, [["body", "events", "too_long"]]],
  ["no event", { events: [] }, [["body", "events", "too_short"]]],
  ["no property", { properties: [] }, [["body", "properties", "too_short"]]],
  ["events left out", { events: undefined }, [["body", "events", "missing"]]],
  ["properties left out", { properties: undefined }, [["body", "properties", "missing"]]],
  ["no range", { dateRange: undefined }, [["body", "dateRange", "missing"]]],
  ["no end", { dateRange: { start: dateRange.start } }, [["body", "dateRange", "end", "missing"]]],
  [
    "an end tomorrow, in the app's time zone",
    { dateRange: { ...dateRange, end: `${addDays(today, 1)} 00:00:00` } },
    [["body", "dateRange", "end", "out_of_range"]],
  ],
];
for (const [what, change, faults] of bodies) {
  requesting(`with ${what} is ${faults.length === 0 ? "taken" : "refused at the place of the fault"}`, async () => {
    const answer = await exports.request({ ...installs, ...change });
    assert.is(answer.status, faults.length === 0 ? 200 : 400, answer.text);
    if (faults.length > 0) assert.equal(errorsOf(answer), faults);
  });
}

requesting.run();
