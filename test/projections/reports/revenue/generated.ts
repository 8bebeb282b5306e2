import * as fc from "fast-check";
import { DateTime } from "luxon";
import type { Granularity } from "../../../../domain/reporting/granularity.ts";
import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import type { AppEvent, ChannelFlag, Facts, Source } from "../facts.ts";
import { happened } from "../retention/examples.ts";
import type { Rate, Spend } from "../uploads.ts";

/** Where and when histories begin: days of 23 and 25 hours, days without a midnight, the ends of months. */
const places = [
  { zone: "America/Sao_Paulo", from: "2018-11-03" },
  { zone: "Africa/Cairo", from: "2025-04-24" },
  { zone: "America/New_York", from: "2025-03-08" },
  { zone: "America/New_York", from: "2025-11-01" },
  { zone: "Asia/Seoul", from: "2026-01-30" },
  { zone: "Asia/Seoul", from: "2024-01-31" },
  { zone: "Asia/Kathmandu", from: "2026-02-27" },
] as const;

const metrics = ["app_revenue", "app_user_count", "app_event_count", "app_roas", "app_arpu", "app_arppu"] as const;
const lastPosition = 9;
const minutesOfDay = 1_440;

export interface History {
  readonly appEvents: readonly AppEvent[];
  readonly spend: readonly Spend[];
  readonly question: ReportAt<"revenue">;
}

const source = (channel: string, more: Partial<Source>): Source => ({
  channel,
  channel_type: "custom",
  tracking_link_id: 7,
  is_reengagement: "OFF",
  campaign: "spring",
  sub_id_1: null,
  sub_publisher: null,
  ...more,
});

/** The last two are of a self-attributing network. */
const aSource = fc.constantFrom(
  source("kakao", {}),
  source("kakao", { campaign: "autumn", sub_id_1: "a" }),
  source("partner", { campaign: null }),
  source("twitter", {}),
  source("twitter", { campaign: "autumn" }),
);

/** Minutes from the first instant of a range: near its beginning, days later, and around where intervals end. */
const someMinutes = fc.oneof(
  fc.integer({ min: 0, max: 200 }),
  fc.integer({ min: 0, max: 4 * minutesOfDay }),
  fc.constantFrom(59, 60, 61, 179, 180, 181, 168 * 60 - 1, 168 * 60, 169 * 60 - 1, 169 * 60),
  fc
    .tuple(
      fc.constantFrom(6, 7, 8, 27, 28, 29, 30, 31, 59, 183, 184, 185, 186, 195, 196, 395, 425, 427),
      fc.integer({ min: 0, max: minutesOfDay }),
    )
    .map(([days, minutes]) => days * minutesOfDay + minutes),
);

const aCategory = fc.constantFrom(
  "app_install",
  "app_install",
  "app_deeplink_open",
  "app_order_complete",
  "app_order_complete",
  "app_order_complete",
  "app_subscribe",
  "app_ad_impression",
  "app_order_cancel",
);

const anEvent = fc.record({
  category: aCategory,
  device: fc.integer({ min: 1, max: 3 }),
  cents: fc.constantFrom(null, 0, 10, 20, 1999, -500),
  currency: fc.constantFrom("KRW", "KRW", "EUR", "USD"),
  label: fc.option(fc.record({ source: aSource, kind: fc.constantFrom("click" as const, "impression" as const) })),
  isFirstOfDevice: fc.boolean(),
  client: fc.record({
    os_name: fc.constantFrom(null, "Android", "iOS"),
    country: fc.constant(null),
    device_model: fc.constant(null),
  }),
  from: fc.integer({ min: 1, max: lastPosition }),
  to: fc.option(fc.integer({ min: 2, max: lastPosition }), { freq: 3 }),
});

const aSpend = fc.record({
  channel: fc.constantFrom("kakao", "kakao", "partner", "twitter", "unspent"),
  campaign: fc.constantFrom("spring", "autumn"),
  os_name: fc.constantFrom(null, null, "iOS"),
  currency: fc.constantFrom("KRW", "EUR", "USD"),
  impressions: fc.constantFrom(0, 0, 3),
  clicks: fc.constant(0),
  cents: fc.constantFrom(0, 10, 1999),
  day: fc.integer({ min: -1, max: 5 }),
  from: fc.option(fc.integer({ min: 1, max: lastPosition }), { freq: 9 }),
  to: fc.option(fc.integer({ min: 2, max: lastPosition }), { freq: 3 }),
});

const aFilter = fc.record({
  dimension: fc.constantFrom("channel", "campaign", "os_name", "sub_id_1"),
  filterType: fc.constantFrom("IN" as const, "NOT IN" as const, "EXIST" as const),
  values: fc.subarray(["", "kakao", "twitter", "unattributed", "spring", "iOS"], { minLength: 1 }),
});

const aQuestion = fc.record({
  metric: fc.constantFrom(...metrics),
  onDay: fc.boolean(),
  startEvents: fc.subarray(["app_install", "app_deeplink_open"] as const, { minLength: 1 }),
  returnEvents: fc.subarray(
    ["app_order_complete", "app_first_order_complete", "app_ad_impression", "app_ad_click", "app_subscribe"] as const,
    { minLength: 1 },
  ),
  groupBys: fc.uniqueArray(fc.constantFrom("channel", "campaign", "os_name", "event_date", "ad_group", "sub_id_1"), {
    maxLength: 2,
  }),
  filters: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.tuple(aFilter) }),
  days: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom(13, 31, 91)),
  position: fc.oneof(fc.constant(lastPosition), fc.integer({ min: 1, max: lastPosition })),
  now: someMinutes,
  includesTotal: fc.boolean(),
});

const aHistory = fc.record({
  place: fc.constantFrom(...places),
  events: fc.array(fc.tuple(anEvent, someMinutes), { minLength: 8, maxLength: 30 }),
  spend: fc.array(aSpend, { maxLength: 6 }),
  question: aQuestion,
});

type Drawn = typeof aHistory extends fc.Arbitrary<infer History> ? History : never;

function historyOf(appId: number, granularity: Granularity, drawn: Drawn): History {
  const { place, events, spend, question } = drawn;
  const { zone, from } = place;
  const first = DateTime.fromISO(from, { zone }).startOf("day");
  const dateAfter = (days: number): string => DateTime.fromISO(from).plus({ days }).toISODate() ?? "";
  const { metric, onDay, startEvents, returnEvents, days, position, now, ...query } = question;
  const isFine = granularity === "hour" || granularity === "minute";
  const isOnDay = onDay && metric !== "app_roas" && metric !== "app_arpu";
  const instant = first.plus({ minutes: now });
  const [to = from] = [dateAfter(days), instant.toISODate() ?? ""].sort();
  return {
    appEvents: events.map(([event, minutes]) => {
      return happened(first.plus({ minutes }).toUTC().toISO() ?? "", { appId, ...event }, zone);
    }),
    spend: spend.map(({ day, ...row }) => ({ ...ofNothingElse, appId, date: dateAfter(day), ...row })),
    question: {
      appId,
      currency: "KRW",
      timezone: zone,
      onlyChannels: null,
      position: BigInt(position),
      now: instant.toJSDate(),
      query: {
        from,
        to,
        granularity,
        metric,
        aggregationType: isOnDay ? "on-day" : "cumulative",
        startEvents: isFine ? ["app_install"] : startEvents,
        returnEvents,
        sorts: [],
        ...query,
      },
    },
  };
}

const ofNothingElse = { channel_type: "custom", campaign_id: null, ad_group: null, sub_publisher: null, country: null };

/** Dates with rates: before, in and between the histories. */
const someRates: fc.Arbitrary<readonly Rate[]> = fc
  .uniqueArray(
    fc.record({
      date: fc.constantFrom(
        "2018-11-04",
        "2019-01-01",
        "2025-03-09",
        "2025-05-01",
        "2025-11-02",
        "2026-02-01",
        "2026-02-28",
      ),
      base: fc.constantFrom("KRW", "USD"),
      own: fc.constantFrom("0.5", "0.25"),
      currencies: fc.subarray(["KRW", "EUR", "USD"]),
      inForce: fc.constantFrom({ from: 1, to: 4 }, { from: 4, to: null }),
    }),
    { selector: ({ date, inForce }) => `${date} ${inForce.from}`, maxLength: 6 },
  )
  .map((sets) =>
    sets.flatMap(({ date, base, own, currencies, inForce }) =>
      currencies.map((currency) => ({
        date,
        base,
        currency,
        rate: { KRW: "1000", EUR: own, USD: "2" }[currency] ?? "",
        ...inForce,
      })),
    ),
  );

const someFlags: fc.Arbitrary<readonly ChannelFlag[]> = fc.constantFrom(
  [],
  [{ channel: "twitter", selfAttributing: false, from: 1, to: null }],
  [{ channel: "kakao", selfAttributing: true, from: 5, to: null }],
);

/** Histories of apps of their own, in one set of facts; exchange rates and flags of channels are those of all. */
export function someHistories(
  count: number,
  granularity: Granularity,
): fc.Arbitrary<{ readonly facts: Facts; readonly histories: readonly History[] }> {
  return fc
    .record({ drawn: fc.array(aHistory, { minLength: count, maxLength: count }), rates: someRates, flags: someFlags })
    .map(({ drawn, rates, flags }) => {
      const histories = drawn.map((history, index) => historyOf(index + 1, granularity, history));
      return {
        histories,
        facts: {
          touchpoints: [],
          appEvents: histories.flatMap(({ appEvents }) => appEvents),
          uploads: { spend: histories.flatMap(({ spend }) => spend), uploadedMetrics: [], rates, categories: [] },
          channelFlags: flags,
        },
      };
    });
}
