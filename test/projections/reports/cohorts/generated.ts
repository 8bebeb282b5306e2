import * as fc from "fast-check";
import { DateTime } from "luxon";
import type { Granularity } from "../../../../domain/reporting/granularity.ts";
import { spring } from "../actuals/advertising.ts";
import type { AppEvent, ChannelFlag, Source } from "../facts.ts";
import { happened } from "../retention/examples.ts";

/** Where and when histories begin: days of 23 and 25 hours, days without a midnight, the ends of months. */
const places = [
  { zone: "America/Sao_Paulo", date: "2018-11-03" },
  { zone: "Africa/Cairo", date: "2025-04-24" },
  { zone: "Europe/Berlin", date: "2026-03-28" },
  { zone: "America/New_York", date: "2025-03-08" },
  { zone: "America/New_York", date: "2025-11-01" },
  { zone: "Asia/Seoul", date: "2026-01-30" },
  { zone: "Asia/Seoul", date: "2024-01-31" },
  { zone: "Asia/Kathmandu", date: "2026-02-27" },
] as const;

const minutesOfDay = 1_440;
const lastPosition = 60;

const source = (channel: string, more: Partial<Source> = {}): Source => ({ ...spring, channel, ...more });

/** The last two are of a self-attributing network. */
const aSource = fc.constantFrom(
  source("kakao"),
  source("kakao", { campaign: "autumn", sub_id_1: "a" }),
  source("kakao", { campaign: "" }),
  source("partner", { campaign: null }),
  source("partner", { campaign: "봄" }),
  source("twitter"),
  source("twitter", { campaign: "autumn" }),
);

/** Minutes after the first midnight: the same minute often, days later, and around where intervals end. */
const aMinute = fc.oneof(
  fc.constantFrom(0, 1, 59, 60, 61, 179, 180, 181, 600, 600, 600, 1_379, 1_380, 1_439, 1_440, 1_500, 2_879, 2_880),
  fc.constantFrom(168 * 60 - 1, 168 * 60, 169 * 60 - 1, 169 * 60),
  fc.integer({ min: 0, max: 200 }),
  fc.integer({ min: 0, max: 4 * minutesOfDay }),
  fc
    .tuple(
      fc.constantFrom(6, 7, 8, 27, 28, 29, 30, 31, 59, 75, 100, 183, 184, 185, 186, 195, 196, 395, 425, 427),
      fc.integer({ min: 0, max: minutesOfDay }),
    )
    .map(([days, minutes]) => days * minutesOfDay + minutes),
);

const anEvent = fc.record({
  category: fc.constantFrom(
    ...["app_install", "app_install", "app_install", "app_deeplink_open", "app_deeplink_pageview"],
    ...["app_order_complete", "app_order_complete", "app_order_complete", "app_order_complete"],
    ...["app_subscribe", "app_ad_click", "app_ad_impression", "app_order_cancel", "app_open", "custom:level up"],
  ),
  device: fc.integer({ min: 1, max: 4 }),
  cents: fc.constantFrom(null, 0, 10, 20, 1999, -500),
  currency: fc.constantFrom("KRW", "KRW", "EUR", "USD"),
  label: fc.option(fc.record({ source: aSource, kind: fc.constantFrom("click" as const, "impression" as const) })),
  isFirstOfDevice: fc.boolean(),
  client: fc.record({
    os_name: fc.constantFrom(null, "Android", "iOS"),
    country: fc.constantFrom(null, "KR", "DE"),
    device_model: fc.constant(null),
  }),
});

/** Return events: the five with a name in reports, and what else a report may ask for. */
export const someReturnEvents: fc.Arbitrary<readonly string[]> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.subarray(["app_order_complete", "app_first_order_complete", "app_subscribe", "app_ad_click"], {
      minLength: 1,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ["app_events"],
      ["app_subscribe", "app_events"],
      ["app_opens"],
      ["custom:level up", "app_first_order_complete"],
      ["app_install", "app_order_cancel", "app_ad_impression"],
    ),
  },
);

/** Filters of at most one dimension. */
export const someFilters = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.record({
        dimension: fc.constantFrom("channel", "campaign", "os_name", "country", "sub_id_1"),
        filterType: fc.constantFrom("IN" as const, "NOT IN" as const, "EXIST" as const),
        values: fc.subarray(["", "kakao", "twitter", "unattributed", "spring", "iOS", "KR"], { minLength: 1 }),
      }),
    ),
  },
);

/** Flags of channels, the same for every app. */
export const someFlags: fc.Arbitrary<readonly ChannelFlag[]> = fc.constantFrom(
  [],
  [{ channel: "twitter", selfAttributing: false, from: 10, to: null }],
  [{ channel: "kakao", selfAttributing: true, from: 5, to: null }],
  [{ channel: "partner", selfAttributing: true, from: 1, to: 30 }],
);

/** What the devices of an app did, each event at its position of the log, and the range of a report on it. */
export const aCohortHistory = fc.record({
  place: fc.constantFrom(...places),
  events: fc.array(
    fc.record({ event: anEvent, minute: aMinute, lasts: fc.constantFrom(null, null, null, null, 3, 10) }),
    { minLength: 8, maxLength: 30 },
  ),
  first: fc.constantFrom(0, 0, 0, 1, 2),
  days: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom(13, 31, 40, 91)),
  nowMinute: aMinute,
  position: fc.oneof(fc.constant(lastPosition), fc.integer({ min: 1, max: lastPosition })),
});

type Drawn = typeof aCohortHistory extends fc.Arbitrary<infer History> ? History : never;

/** The events of an app, and from when to when and as of when its report is. */
export function cohortHistoryOf(appId: number, granularity: Granularity, drawn: Drawn) {
  const { place, events, first, days, nowMinute, position } = drawn;
  const { zone, date } = place;
  const origin = DateTime.fromISO(date, { zone }).startOf("day");
  const from = origin.plus({ days: first });
  const now = DateTime.max(origin.plus({ minutes: nowMinute }), from);
  // Minutes of many days are many blocks, which the references walk through one by one.
  const to = DateTime.min(from.plus({ days: granularity === "minute" ? Math.min(days, 1) : days }), now);
  const appEvents = events.map(({ event, minute, lasts }, index): AppEvent => {
    const place = { from: index + 1, to: lasts === null ? null : index + 1 + lasts };
    return happened(origin.plus({ minutes: minute }).toUTC().toISO() ?? "", { appId, ...event, ...place }, zone);
  });
  return {
    appEvents,
    range: { from: from.toISODate() ?? "", to: to.toISODate() ?? "" },
    asOf: { appId, timezone: zone, now: now.toJSDate(), position: BigInt(position) },
  };
}
