import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AppEventInput } from "../../../domain/app-events/app-event-input.ts";
import { type AppEventContext, recordAppEvent } from "../../../domain/app-events/record-app-event.ts";
import { fault, type Message } from "../../../domain/fault.ts";
import { isCurrency } from "../../../domain/values/iso-4217.ts";

const now = Date.parse("2026-03-10T12:00:00.000Z");
const deviceKey = "5d41402a-bc4b-8a76-b971-9d911017c592";
const intake: AppEventContext = {
  appId: 7,
  currency: "KRW",
  now,
  maxDaysBack: 31,
  connection: null,
  isCurrency,
};
const install: AppEventInput = {
  eventId: "0198A000-0000-7000-8000-00000000000A",
  eventTimestamp: "2026-03-10T20:59:00+09:00",
  category: "app_install",
  device: { id: "Device-1" },
};
const record = (sent: Partial<AppEventInput>, changed: Partial<AppEventContext> = {}) =>
  recordAppEvent({ ...install, ...sent }, deviceKey, { ...intake, ...changed });

const recorded = suite("an accepted app event");

recorded("becomes a fact with all defaults written down", () => {
  assert.equal(record({}), {
    eventId: "0198a000-0000-7000-8000-00000000000a",
    appId: 7,
    at: "2026-03-10T11:59:00.000Z",
    source: "app",
    category: "app_install",
    action: null,
    label: null,
    value: null,
    currency: null,
    properties: null,
    deviceKey,
    device: {},
    clickId: null,
    person: { deviceId: "Device-1" },
  });
});

recorded("keeps everything that was sent, ids in lower case, codes in upper case, persons apart", () => {
  const sent: AppEventInput = {
    eventId: "0198a000-0000-7000-8000-00000000000b",
    eventTimestamp: now,
    source: "web",
    category: "app_order_complete",
    action: "buy",
    label: "shoes",
    value: 19.99,
    currency: "usd",
    properties: { sku: "A-1", count: 2, gift: false, note: null },
    device: {
      id: "Device-1",
      os: "iOS",
      osVersion: "17.5",
      model: "iPhone15,2",
      manufacturer: "Apple",
      type: "phone",
      language: "ko",
      country: "kr",
      timezone: "Asia/Seoul",
      gaid: "",
      idfa: "0198A000-0000-4000-8000-0000000000FA",
      idfv: "00000000-0000-0000-0000-000000000000",
      ip: "::FFFF:203.0.113.9",
      userAgent: "Shop/1.0",
      appVersion: "4.2.0",
    },
    user: { externalUserId: "\u3000customer 1\u0085", partnerDeviceId: "\ufeffpartner 1 " },
    referrer: {
      clickId: "0198A000-0000-7000-8000-00000000000C",
      installReferrer: "utm_source=a",
      deeplinkUrl: "shop://sale",
    },
  };
  assert.equal(recordAppEvent(sent, deviceKey, intake), {
    eventId: "0198a000-0000-7000-8000-00000000000b",
    appId: 7,
    at: "2026-03-10T12:00:00.000Z",
    source: "web",
    category: "app_order_complete",
    action: "buy",
    label: "shoes",
    value: "19.99",
    currency: "USD",
    properties: { sku: "A-1", count: 2, gift: false, note: null },
    deviceKey,
    device: {
      os: "iOS",
      osVersion: "17.5",
      model: "iPhone15,2",
      manufacturer: "Apple",
      type: "phone",
      language: "ko",
      country: "KR",
      timezone: "Asia/Seoul",
      appVersion: "4.2.0",
    },
    clickId: "0198a000-0000-7000-8000-00000000000c",
    person: {
      deviceId: "Device-1",
      idfa: "0198a000-0000-4000-8000-0000000000fa",
      ip: "203.0.113.9",
      userAgent: "Shop/1.0",
      externalUserId: "customer 1",
      // No white space of Unicode: a context call keeps it as well.
      partnerDeviceId: "\ufeffpartner 1",
      installReferrer: "utm_source=a",
      deeplinkUrl: "shop://sale",
    },
  });
});

recorded("accepts any two letters as a country, and omits others", () => {
  const countryOf = (country: unknown) => {
    const { device } = record({ device: { id: "Device-1", country } }) as { device: { country?: string } };
    return device.country;
  };
  assert.equal(["uk", "XK", "kr", "Zz"].map(countryOf), ["UK", "XK", "KR", "ZZ"]);
  assert.equal(["", "K", "KOR", "k1", "한국", "ſs", 82, null].map(countryOf), Array(8).fill(undefined));
});

recorded("truncates long descriptions, and omits values of other types", () => {
  const describe = (given: object) => (record({ device: { id: "Device-1", ...given } }) as { device: object }).device;
  const phones = (length: number) => "\u{1f4f1}".repeat(length);
  assert.equal(describe({ model: phones(255) }), { model: phones(255) });
  assert.equal(describe({ model: phones(256) }), { model: phones(256) });
  assert.equal(describe({ model: phones(257), language: "x".repeat(129) }), {
    model: phones(256),
    language: "x".repeat(128),
  });
  assert.equal(
    describe({ osVersion: 17, model: null, type: {}, manufacturer: [], timezone: true, appVersion: "" }),
    {},
  );
});

recorded("keeps a currency that was sent without a value", () => {
  const { value, currency } = record({ currency: "usd" }) as { value: null; currency: string };
  assert.equal({ value, currency }, { value: null, currency: "USD" });
});

recorded("takes the app's currency for a value without one", () => {
  const { value, currency } = record({ value: 0 }) as { value: string; currency: string };
  assert.equal({ value, currency }, { value: "0", currency: "KRW" });
});

recorded("has the address and user agent of the connection by default", () => {
  const connection = { ip: "2001:DB8:0:0::1", userAgent: "curl/8" };
  const personOf = (sent: Partial<AppEventInput>) =>
    (record(sent, { connection }) as { person: { ip?: string; userAgent?: string } }).person;
  assert.equal(personOf({}), { deviceId: "Device-1", ip: "2001:db8::1", userAgent: "curl/8" });
  assert.equal(personOf({ device: { id: "Device-1", ip: "203.0.113.9", userAgent: "Shop/1.0" } }), {
    deviceId: "Device-1",
    ip: "203.0.113.9",
    userAgent: "Shop/1.0",
  });
});

recorded("has properties of up to 8 KiB of JSON", () => {
  const sized = (bytes: number) => ({ properties: { text: `é${"x".repeat(bytes - '{"text":"é"}'.length - 1)}` } });
  const fits = (bytes: number) => !("code" in record(sized(bytes)));
  assert.is(Buffer.byteLength(JSON.stringify(sized(8_192).properties)), 8_192);
  assert.equal([8_191, 8_192, 8_193].map(fits), [true, true, false]);
});

const refused = suite("a rejected app event");
const unknownCategory = (suggestion: "" | Message) => fault("UNKNOWN_CATEGORY", ["category"], { suggestion });

const refusals: readonly (readonly [string, Partial<AppEventInput>, object])[] = [
  ["its id names nothing", { eventId: "00000000-0000-0000-0000-000000000000" }, fault("INVALID_EVENT_ID", ["eventId"])],
  ["its time is no time", { eventTimestamp: "yesterday" }, fault("INVALID_TIMESTAMP.app_event", ["eventTimestamp"])],
  ["its time is ahead", { eventTimestamp: now + 600_001 }, fault("TIMESTAMP_IN_FUTURE.app_event", ["eventTimestamp"])],
  [
    "it is too old",
    { eventTimestamp: now - 32 * 86_400_000 },
    fault("TIMESTAMP_TOO_OLD.app_event", ["eventTimestamp"], { days: 31 }),
  ],
  ["nobody knows its category", { category: "x".repeat(2_000) }, unknownCategory("")],
  [
    "its category is misspelled",
    { category: "app_installs" },
    unknownCategory({ code: "did_you_mean", params: { nearest: "app_install" } }),
  ],
  ["its currency is none", { value: 1, currency: "ABC" }, fault("UNKNOWN_CURRENCY", ["currency"])],
  [
    "its properties are too many",
    { properties: { text: "x".repeat(8_192) } },
    fault("PROPERTIES_TOO_LARGE", ["properties"]),
  ],
];
for (const [reason, sent, rejection] of refusals)
  refused(`because ${reason}`, () => assert.equal(record(sent), rejection));

recorded.run();
refused.run();
