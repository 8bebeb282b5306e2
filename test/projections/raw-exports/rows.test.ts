import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StoredEvent } from "../../../domain/event-catalogue.ts";
import { rawRows } from "../../../projections/raw-exports/rows.ts";
import type { RawPlace } from "../../../projections/raw-exports/statement.ts";
import { shopRegistered } from "../../examples/app.ts";
import { anInstall, anOrder, phone } from "../../examples/app-events.ts";
import { unattributed, wonBy } from "../../examples/decisions.ts";
import { aLargeMonth, anInstallByTwitter, twitter } from "../../examples/large-months.ts";
import { exampleUuid, recordedLog } from "../../examples/recorded-log.ts";
import { aClick, anImpression, springSale } from "../../examples/touchpoints.ts";
import { createFacts, openTestDatabase } from "../facts/facts-tables.ts";
import { cellsOf, everyProperty, exportOf, recordsOf } from "./exports.ts";

const db = await openTestDatabase();
const facts = await createFacts(db);

/** The facts of a log in which these events follow the registration of the shop, at 200, 300 and so on. */
async function given(...events: readonly StoredEvent[]): Promise<void> {
  await facts.clear();
  await facts.apply(recordedLog<StoredEvent>([shopRegistered, ...events]));
}

const click = aClick({ deviceKey: phone });
const install = anInstall();
const details = {
  action: "scan",
  label: "=shelf 3",
  properties: { store: "main", items: 2, gift: false, note: null },
  device: {
    os: "Android",
    osVersion: "15",
    country: "KR",
    language: "ko",
    appVersion: "1.0",
    model: "Pixel 8",
    manufacturer: "Google",
    type: "phone",
  },
  person: { deviceId: "phone", ip: "203.0.113.7", userAgent: "Shop/1.0", externalUserId: "customer-7" },
} as const;
const order = anOrder({ value: "10000.50", ...details });

/** A row without values. */
const emptyRow = Object.fromEntries(everyProperty.map((key) => [key, ""]));

const rows = suite("the rows of a raw export");

rows("have every property of an app event", async () => {
  await given(click, install, wonBy(install, click, "device_id"), order);
  const requested = exportOf({ properties: everyProperty, events: ["app_order_complete"] });
  assert.equal(await recordsOf(facts, requested), [
    {
      ...emptyRow,
      event_source: "app",
      event_type: "in_app",
      event_category: "app_order_complete",
      event_name: "app_order_complete",
      channel: "partner",
      channel_type: "custom",
      campaign: "spring",
      ad_group: "shoes",
      tracking_link_id: "7",
      touchpoint_type: "click",
      is_reengagement: "false",
      os_name: "Android",
      os_version: "15",
      app_version: "1.0",
      country: "KR",
      language: "ko",
      device_model: "Pixel 8",
      device_manufacturer: "Google",
      device_type: "phone",
      is_first_event_per_device_id: "true",
      is_first_event_per_user_id: "true",
      currency: "KRW",
      event_datetime: "2026-03-01T21:00:00.000+09:00",
      event_timestamp: "1772366400000",
      event_id: exampleUuid("order", 1),
      device_id: "phone",
      user_id: phone,
      external_user_id: "customer-7",
      event_value: "10000.50",
      event_currency: "KRW",
      event_action: "scan",
      event_label: "=shelf 3",
      event_properties: '{"store":"main","items":2,"gift":false,"note":null}',
      match_type: "device_id",
      attributed_touchpoint_datetime: "2026-03-01T18:00:00.000+09:00",
      click_id: click.data.touchpointId,
      ip: "203.0.113.7",
      user_agent: "Shop/1.0",
    },
  ]);
});

rows("have every property of a touchpoint", async () => {
  const person = { deviceId: "phone", ip: "203.0.113.7", userAgent: "Mozilla/5.0" };
  await given(aClick({ deviceKey: phone, person }), anImpression({ person: {} }));
  const touched = {
    ...emptyRow,
    event_source: "tracking_link",
    event_type: "touchpoint",
    channel: "partner",
    channel_type: "custom",
    campaign: "spring",
    ad_group: "shoes",
    tracking_link_id: "7",
    is_reengagement: "false",
    os_name: "Android",
    os_version: "15",
  };
  const requested = exportOf({ type: "tracking-link", events: ["click", "impression"], properties: everyProperty });
  assert.equal(await recordsOf(facts, requested), [
    {
      ...touched,
      event_category: "impression",
      event_name: "impression",
      touchpoint_type: "impression",
      event_datetime: "2026-03-01T17:00:00.000+09:00",
      event_timestamp: "1772352000000",
      event_id: exampleUuid("impression", 1),
    },
    {
      ...touched,
      event_category: "click",
      event_name: "click",
      touchpoint_type: "click",
      event_datetime: "2026-03-01T18:00:00.000+09:00",
      event_timestamp: "1772355600000",
      event_id: exampleUuid("click", 1),
      device_id: "phone",
      user_id: phone,
      click_id: exampleUuid("click", 1),
      ip: "203.0.113.7",
      user_agent: "Mozilla/5.0",
    },
  ]);
});

rows("are events of the query, the app and the source, without bots", async () => {
  const [first, second] = [anOrder(), anOrder({ eventId: exampleUuid("order", 2), at: "2026-03-01T13:00:00.000Z" })];
  const another = { ...shopRegistered.data, appId: 2, name: "another" };
  await given(
    { type: "AppRegistered", data: another },
    install,
    first,
    second,
    anOrder({ eventId: exampleUuid("order", 3), source: "web" }),
    anInstall({ eventId: exampleUuid("event", 4), category: "custom:level_up" }),
    anInstall({ eventId: exampleUuid("event", 5), appId: 2 }),
    aClick({ verdict: { human: false, bot: "spider" } }),
    aClick({ touchpointId: exampleUuid("click", 2) }),
  );
  const idsOf = async (query: Parameters<typeof exportOf>[0]) => (await cellsOf(facts, exportOf(query))).flat();
  assert.equal(await idsOf({ events: ["app_installs"] }), [exampleUuid("install", 1)]);
  assert.equal(await idsOf({ events: ["app_order_complete"] }), [first.data.eventId, second.data.eventId]);
  assert.equal(await idsOf({ events: ["app_first_order_complete", "app_install"] }), [
    exampleUuid("install", 1),
    first.data.eventId,
  ]);
  assert.equal(await idsOf({ events: ["custom:level_up"] }), [exampleUuid("event", 4)]);
  assert.equal(await idsOf({ type: "web", events: ["app_order_complete"] }), [exampleUuid("order", 3)]);
  assert.equal(await idsOf({ type: "tracking-link", events: ["click"] }), [exampleUuid("click", 2)]);
  assert.equal(await idsOf({ type: "tracking-link", events: ["impression"] }), []);
});

rows("are those of the range of local times, both seconds included", async () => {
  const at = ["T23:59:59.999", "T00:00:00.000", "T23:59:59.999", "T00:00:00.000"];
  const days = ["2026-02-28", "2026-03-01", "2026-03-01", "2026-03-02"];
  await given(
    ...at.map((time, index) => {
      const instant = new Date(`${days[index]}${time}+09:00`).toISOString();
      return anInstall({ eventId: exampleUuid("event", index), at: instant });
    }),
  );
  assert.equal((await cellsOf(facts, exportOf({}))).flat(), [exampleUuid("event", 1), exampleUuid("event", 2)]);
});

rows("end with their range where a page of facts would end just after it", async () => {
  const instants = [...Array.from({ length: 1_999 }, () => "2026-03-01T10:00:00.999Z"), "2026-03-01T10:00:01.000Z"];
  await given(...instants.map((at, index) => anInstall({ eventId: exampleUuid("event", index), at })));
  assert.is((await cellsOf(facts, exportOf({ end: "2026-03-01 19:00:00" }))).length, 1_999);
  assert.is((await cellsOf(facts, exportOf({ end: "2026-03-01 19:00:01" }))).length, 2_000);
});

rows("have local times with the offset at the event, also in a repeated hour", async () => {
  const instants = ["2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z"];
  await given(...instants.map((at, index) => anInstall({ eventId: exampleUuid("event", index), at })));
  const range = { start: "2026-10-25 02:30:00", end: "2026-10-25 02:30:00" };
  const requested = exportOf(
    { ...range, properties: ["event_datetime"] },
    { timezone: "Europe/Berlin", now: new Date("2026-11-01T00:00:00Z") },
  );
  assert.equal((await cellsOf(facts, requested)).flat(), [
    "2026-10-25T02:30:00.000+02:00",
    "2026-10-25T02:30:00.000+01:00",
  ]);
});

rows("have local times with the offset from each change of the clocks on", async () => {
  // Without summer time during Ramadan: from February 15 to March 22.
  const instants = ["2026-02-15T01:59:59.999Z", "2026-02-15T02:00:00.000Z", "2026-03-22T02:00:00.000Z"];
  await given(...instants.map((at, index) => anInstall({ eventId: exampleUuid("event", index), at })));
  const range = { start: "2026-02-15 00:00:00", end: "2026-03-22 23:59:59" };
  const requested = exportOf(
    { ...range, properties: ["event_datetime"] },
    { timezone: "Africa/Casablanca", now: new Date("2026-04-01T00:00:00Z") },
  );
  assert.equal((await cellsOf(facts, requested)).flat(), [
    "2026-02-15T02:59:59.999+01:00",
    "2026-02-15T02:00:00.000+00:00",
    "2026-03-22T03:00:00.000+01:00",
  ]);
});

rows("of consecutive ranges are those of both together, also in a repeated hour", async () => {
  const instants = ["00:29:59.999", "00:30:00.000", "01:29:59.999", "01:30:00.000"].map((at) => `2026-10-25T${at}Z`);
  await given(...instants.map((at, index) => anInstall({ eventId: exampleUuid("event", index), at })));
  const within = async (start: string, end: string) => {
    const range = { start: `2026-10-25 ${start}`, end: `2026-10-25 ${end}`, properties: ["event_id"] };
    return (await cellsOf(facts, exportOf(range, { timezone: "Europe/Berlin", now: new Date("2026-11-01") }))).flat();
  };
  const idsOf = (...numbers: readonly number[]) => numbers.map((number) => exampleUuid("event", number));
  assert.equal(await within("00:00:00", "02:29:59"), idsOf(0, 2));
  assert.equal(await within("02:30:00", "23:59:59"), idsOf(1, 3));
  assert.equal(await within("00:00:00", "23:59:59"), idsOf(0, 1, 2, 3));
});

rows("are the same at a position after later events", async () => {
  const requested = exportOf({ properties: everyProperty }, { position: 500n });
  const events = [click, install, wonBy(install, click), order];
  await given(...events);
  const before = await cellsOf(facts, requested);
  assert.is(before.length, 2);
  // An earlier click is late and wins, an earlier install comes in late, and an order.
  const other = aClick({ touchpointId: exampleUuid("click", 9), source: { ...springSale, channel: "other" } });
  const earlier = anInstall({ eventId: exampleUuid("install", 9), at: "2026-03-01T09:30:00.000Z" });
  await given(...events, other, earlier, wonBy(earlier, other), anOrder({ eventId: exampleUuid("order", 9) }));
  assert.equal(await cellsOf(facts, requested), before);
  const channels = await cellsOf(facts, exportOf({ properties: ["channel"] }));
  assert.equal(channels.flat(), ["other", "partner", "partner", "partner"]);
});

rows("are unattributed without a winner", async () => {
  await given(install, unattributed(install));
  const properties = ["channel", "match_type", "attributed_touchpoint_datetime", "click_id", "device_id"];
  assert.equal(await cellsOf(facts, exportOf({ properties })), [["unattributed", "", "", "", "phone"]]);
});

rows("have the id of a click that won, and of no impression", async () => {
  const impression = anImpression({ deviceKey: phone });
  await given(impression, install, wonBy(install, impression));
  const properties = ["touchpoint_type", "match_type", "click_id"];
  assert.equal(await cellsOf(facts, exportOf({ properties })), [["impression", "probabilistic", ""]]);
});

rows("of a small month of a self-attributing network are left out", async () => {
  const tweet = aClick({ deviceKey: phone, source: twitter });
  const other = anInstall({ eventId: exampleUuid("install", 2), deviceKey: exampleUuid("device", 2) });
  await given(tweet, install, wonBy(install, tweet), other, unattributed(other));
  const requested = exportOf({ properties: ["channel", "event_id"] });
  assert.equal(await cellsOf(facts, requested), [["unattributed", exampleUuid("install", 2)]]);
  const touchpoints = exportOf({ type: "tracking-link", events: ["click"], properties: ["channel"] });
  assert.equal(await cellsOf(facts, touchpoints), []);
});

rows("have no touchpoint of a masked month, and are left out when older than 175 days", async () => {
  const ofFebruary = anInstallByTwitter("february", 1, "2026-02-27T09:00:00.000Z", "2026-03-01T10:00:00.000Z");
  await given(...aLargeMonth("2026-03"), ...ofFebruary);
  const properties = ["attributed_touchpoint_datetime", "click_id", "match_type", "channel"];
  const cells = await cellsOf(facts, exportOf({ properties, events: ["app_install"] }));
  assert.is(cells.length, 102);
  assert.equal(
    cells.filter(([at]) => at === ""),
    [["", "", "", "twitter"]],
  );
  const later = exportOf({ properties: ["channel"] }, { now: new Date("2026-08-24T00:00:00Z") });
  assert.is((await cellsOf(facts, exportOf(later.query, { now: new Date("2026-08-23T00:00:00Z") }))).length, 102);
  assert.is((await cellsOf(facts, later)).length, 0);
});

rows("have no touchpoint of a masked month as far back as the windows of 30 days reach together", async () => {
  const tweet = aClick({ at: "2025-12-31T03:00:00.000Z", deviceKey: phone, source: twitter });
  const [installed, ordered] = [
    anInstall({ at: "2026-01-30T03:00:00.000Z" }),
    anOrder({ at: "2026-03-01T03:00:00.000Z" }),
  ];
  await given(...aLargeMonth("2026-03"), tweet, installed, wonBy(installed, tweet), ordered);
  const properties = ["event_id", "channel", "attributed_touchpoint_datetime", "click_id", "match_type"];
  assert.equal(await cellsOf(facts, exportOf({ properties, events: ["app_order_complete"] })), [
    [ordered.data.eventId, "twitter", "", "", ""],
  ]);
});

const paged = suite("the pages of a raw export");
/** Four pages; 1,500 installs at each instant. */
const installs = Array.from({ length: 6_100 }, (_, index) =>
  anInstall({
    eventId: exampleUuid("install", index),
    deviceKey: exampleUuid("device", index),
    at: new Date(Date.parse("2026-03-01T10:00:00Z") + Math.floor(index / 1_500)).toISOString(),
  }),
);
paged.before(async () => {
  await given(...installs);
});
paged.after(() => db.destroy());

paged("are the same rows from any place, also of many events at one instant", async () => {
  const requested = exportOf({ properties: ["event_timestamp", "event_id"] });
  const whole = await cellsOf(facts, requested);
  assert.equal(whole.map(([, id]) => id).sort(), installs.map(({ data }) => data.eventId).sort());
  const places: RawPlace[] = [];
  let read = 0;
  for await (const page of rawRows(async () => facts, requested, null)) {
    read += page.rows.length;
    if (page.after === null) continue;
    places.push(page.after);
    assert.equal(await cellsOf(facts, requested, page.after), whole.slice(read));
  }
  assert.is(places.length, 3);
});

paged("are refused once the reader's signal has aborted", async () => {
  const aborting = new AbortController();
  const pages = rawRows(async () => facts, exportOf({}), null, aborting.signal);
  await pages.next();
  aborting.abort(new Error("The process ends"));
  try {
    await pages.next();
    assert.unreachable();
  } catch (failure) {
    assert.match(String(failure), /The process ends/);
  }
});

paged("end without rows when no fact matches, and in a range without facts", async () => {
  assert.equal(await cellsOf(facts, exportOf({ events: ["app_order_complete"] })), []);
  assert.equal(await cellsOf(facts, exportOf({ start: "2026-02-01 00:00:00", end: "2026-02-02 00:00:00" })), []);
});

paged("are not read after the reader has stopped; a failure is thrown at its page", async () => {
  let reads = 0;
  // The rows of the fourth page.
  const failing = 8;
  const model = async () => {
    reads += 1;
    if (reads === failing) throw new Error("The database is unavailable");
    return facts;
  };
  const stopped = rawRows(model, exportOf({}), null);
  await stopped.next();
  await stopped.return(undefined);
  // Three pages, and the end of the fourth.
  assert.is(reads, 7);
  reads = 0;
  let pages = 0;
  try {
    for await (const _page of rawRows(model, exportOf({}), null)) pages += 1;
    assert.unreachable();
  } catch (failure) {
    assert.match(String(failure), /The database is unavailable/);
  }
  assert.is(pages, 3);
});

rows.run();
paged.run();
