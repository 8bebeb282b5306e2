import * as fc from "fast-check";
import { DateTime } from "luxon";
import type { RetentionQuery } from "../../../../domain/reporting/retention/query.ts";
import { spring } from "../actuals/advertising.ts";
import type { AppEvent, Source } from "../facts.ts";
import { happened, retentionReport } from "./examples.ts";
import type { Question } from "./reference.ts";

/** A zone, and a date near which its calendar is out of the ordinary. */
const places: readonly (readonly [timezone: string, date: string])[] = [
  ["Asia/Seoul", "2026-01-29"],
  ["Asia/Seoul", "2024-02-27"],
  // A day of 23 hours, one of 25, and two without a midnight.
  ["Europe/Berlin", "2026-03-28"],
  ["Europe/Berlin", "2025-10-25"],
  ["America/Sao_Paulo", "2018-11-03"],
  ["Africa/Cairo", "2026-04-23"],
];

/** The last is a self-attributing network, as the first may be said to be. */
const channels = ["partner", "kakao", "twitter"] as const;

/** Minutes after the first midnight: the same minute often, the edges of days and hours, weeks and months. */
const aMinute = fc.oneof(
  fc.constantFrom(0, 1, 59, 60, 61, 600, 600, 600, 1_379, 1_380, 1_439, 1_440, 1_500, 2_879, 2_880),
  fc.integer({ min: 0, max: 3 * 1_440 }),
  fc.integer({ min: 0, max: 75 * 1_440 }),
);

const aHappening = fc.record({
  minute: aMinute,
  device: fc.integer({ min: 1, max: 4 }),
  category: fc.constantFrom(
    "app_install",
    "app_install",
    "app_deeplink_open",
    "app_deeplink_pageview",
    "app_order_complete",
    "app_order_complete",
    "app_order_complete",
    "app_subscribe",
    "app_ad_click",
    "app_open",
  ),
  channel: fc.constantFrom(null, "partner", "partner", "kakao", "kakao", "kakao", "twitter"),
  campaign: fc.constantFrom(null, "", "spring", "봄"),
  country: fc.constantFrom(null, "KR", "DE"),
  isFirstOfDevice: fc.boolean(),
  lasts: fc.constantFrom(null, null, null, null, 3, 10),
});

const startEvents = ["app_installs", "app_deeplink_opens", "app_deeplink_pageviews"] as const;
const returnEvents = ["app_order_complete", "app_first_order_complete", "app_subscribe", "app_ad_click"] as const;

type AskedQuery = Partial<RetentionQuery> & Pick<RetentionQuery, "granularity">;

const aQuery = (granularity: RetentionQuery["granularity"]): fc.Arbitrary<AskedQuery> => {
  const isFine = granularity === "hour" || granularity === "minute";
  return fc
    .record({
      startEvents: isFine ? fc.constant(["app_installs"] as const) : fc.subarray([...startEvents], { minLength: 1 }),
      returnEvents: fc.subarray([...returnEvents], { minLength: 1 }),
      measurementOption: fc.constantFrom("general_retention", "confined_retention"),
      groupBys: fc.uniqueArray(fc.constantFrom("channel", "campaign", "country", "event_date", "event_category"), {
        maxLength: 2,
      }),
      filters: fc.array(
        fc.record({
          dimension: fc.constantFrom("channel", "campaign", "country"),
          filterType: fc.constantFrom("IN", "NOT IN", "EXIST"),
          values: fc.subarray(["kakao", "partner", "spring", "KR", ""], { minLength: 1 }),
        }),
        { maxLength: 1 },
      ),
      sortedBy: fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 2 }),
    })
    .map(({ sortedBy, ...query }) => {
      const sortable = ["startUsers", ...query.groupBys];
      const sorts = sortedBy.map(([field, isAscending]) => {
        return { fieldName: sortable[field % sortable.length] ?? "", isAscending };
      });
      return { ...query, granularity, sorts };
    });
};

/** What devices did, each event at its position, and the report on it. */
export interface History {
  readonly events: readonly AppEvent[];
  readonly question: Question;
}

export const aHistory = (granularity: RetentionQuery["granularity"]): fc.Arbitrary<History> =>
  fc
    .record({
      place: fc.constantFrom(...places),
      happenings: fc.array(aHappening, { minLength: 5, maxLength: 40 }),
      query: aQuery(granularity),
      first: fc.integer({ min: 0, max: 2 }),
      days: fc.constantFrom(0, 1, 2, 40, 91),
      nowMinute: fc.oneof(aMinute, fc.constant(100 * 1_440)),
      position: fc.integer({ min: 1, max: 60 }),
    })
    .map(({ place: [timezone, date], happenings, query, first, days, nowMinute, position }): History => {
      const origin = DateTime.fromISO(date, { zone: timezone }).startOf("day");
      const events = happenings.map(({ minute, channel, campaign, country, lasts, ...more }, index): AppEvent => {
        const source: Source = { ...spring, channel: channel ?? "", campaign };
        return happened(
          origin.plus({ minutes: minute }).toUTC().toISO() ?? "",
          {
            ...more,
            from: index + 1,
            to: lasts === null ? null : index + 1 + lasts,
            client: { os_name: null, country, device_model: null },
            label: channel === null ? null : { source, kind: "click" },
          },
          timezone,
        );
      });
      // Hours and minutes of many days are many cells: reports stay near the beginning.
      const isMinute = granularity === "minute";
      const from = origin.plus({ days: first });
      const now = DateTime.max(origin.plus({ minutes: nowMinute }), from);
      const to = DateTime.min(from.plus({ days: isMinute ? Math.min(days, 1) : days }), now);
      const range = { from: from.toISODate() ?? "", to: to.toISODate() ?? "" };
      return {
        events,
        question: retentionReport(
          { ...query, ...range },
          { timezone, now: now.toJSDate(), position: BigInt(position) },
        ),
      };
    });

/** Flags of channels, the same for every app. */
export const someFlags = fc.constantFrom(
  [],
  [{ channel: "partner", selfAttributing: true, from: 1, to: 30 }],
  [{ channel: channels[2], selfAttributing: false, from: 10, to: null }],
);
