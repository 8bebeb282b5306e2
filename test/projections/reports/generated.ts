import * as fc from "fast-check";
import type { AppEvent, Client, Facts, Source, Touchpoint } from "./facts.ts";
import type { ReferenceQuestion } from "./reference.ts";

/** A week, a month and a leap-less February end within them. */
const dates = ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"] as const;
const hours = [0, 9, 23] as const;
const lastPosition = 9;

const aDate = fc.constantFrom(...dates);
const aPosition = fc.integer({ min: 1, max: lastPosition });
/** Few apps, so that rows of the other would be noticed. */
const anApp = fc.constantFrom(1, 1, 1, 2);

const aSource: fc.Arbitrary<Source> = fc.record({
  channel: fc.constantFrom("kakao", "Partner ü", "partner"),
  channel_type: fc.constantFrom("integrated", "custom"),
  tracking_link_id: fc.constantFrom(null, 7, 9_007_199_254_740_991),
  is_reengagement: fc.constantFrom("OFF", "ON-TRUE", "ON-FALSE"),
  campaign: fc.constantFrom(null, "", "spring", "it's 100%", "봄"),
  sub_id_1: fc.constantFrom(null, "a"),
  sub_publisher: fc.constantFrom(null, "times"),
});

const aClient: fc.Arbitrary<Client> = fc.record({
  os_name: fc.constantFrom(null, "Android", "iOS"),
  country: fc.constantFrom(null, "KR", "DE"),
  device_model: fc.constantFrom(null, "", "Pixel"),
});

const place = { appId: anApp, from: aPosition, date: aDate, hour: fc.constantFrom(...hours), client: aClient };

const aTouchpoint: fc.Arbitrary<Touchpoint> = fc.record({
  ...place,
  kind: fc.constantFrom("click", "impression"),
  human: fc.constantFrom(true, true, true, false),
  source: aSource,
});

const anAppEvent: fc.Arbitrary<AppEvent> = fc.record({
  ...place,
  to: fc.option(fc.integer({ min: 2, max: lastPosition })),
  sentFrom: fc.constantFrom("app", "web"),
  category: fc.constantFrom(
    "app_install",
    "app_install",
    "app_open",
    "app_order_complete",
    "app_order_complete",
    "app_order_cancel",
    "app_subscribe",
    "custom:level_up",
  ),
  device: fc.integer({ min: 1, max: 4 }),
  cents: fc.option(fc.constantFrom(0, 1, 10, 20, 1999, -500)),
  currency: fc.constantFrom("KRW", "KRW", "KRW", "EUR"),
  label: fc.option(fc.record({ source: aSource, kind: fc.constantFrom("click", "impression") })),
  isFirstOfDevice: fc.boolean(),
  isFirstOfUser: fc.option(fc.boolean()),
});

export const someFacts: fc.Arbitrary<Facts> = fc.record({
  touchpoints: fc.array(aTouchpoint, { minLength: 40, maxLength: 80 }),
  appEvents: fc.array(anAppEvent, { minLength: 60, maxLength: 120 }),
});

const someGroupBys = [
  "event_date",
  "event_year",
  "event_month",
  "event_week",
  "event_day_of_week",
  "event_hour",
  "event_source",
  "event_type",
  "event_category",
  "event_name",
  "channel",
  "channel_type",
  "campaign",
  "sub_id_1",
  "sub_publisher",
  "tracking_link_id",
  "is_reengagement",
  "touchpoint_type",
  "os_name",
  "country",
  "device_model",
  "is_first_event_per_device_id",
  "is_first_event_per_user_id",
  "currency",
] as const;

const someMetrics = [
  "impressions",
  "clicks",
  "touchpoints_impression_click",
  "ctr",
  "app_events",
  "app_events_users",
  "app_event_value",
  "app_attributed_events",
  "app_installs",
  "app_installs_users",
  "app_first_installs",
  "app_re_installs_users",
  "app_attributed_installs",
  "app_unattributed_installs_users",
  "app_order_complete",
  "app_first_order_complete_users",
  "app_revenue",
  "custom:level_up",
  "custom_users:level_up",
] as const;

const aFilter = fc.record({
  dimension: fc.constantFrom(...someGroupBys),
  filterType: fc.constantFrom("IN" as const, "NOT IN" as const),
  values: fc.subarray(
    ["", "kakao", "unattributed", "spring", "it's 100%", "봄", "2026-02-28", "09", "app_install", "true", "iOS", "KRW"],
    { minLength: 0 },
  ),
});

export const aQuestion: fc.Arbitrary<ReferenceQuestion> = fc
  .record({
    groupBys: fc.uniqueArray(fc.constantFrom(...someGroupBys), { maxLength: 4 }),
    metrics: fc.uniqueArray(fc.constantFrom(...someMetrics), { minLength: 1, maxLength: 6 }),
    filters: fc.oneof(fc.constant([]), fc.array(aFilter, { minLength: 1, maxLength: 2 })),
    dates: fc.oneof(fc.constant([dates[0], dates[3]] as const), fc.tuple(aDate, aDate)),
    onlyChannels: fc.constantFrom(null, null, null, ["kakao"], ["partner", "unattributed"], []),
    position: fc.oneof(fc.constant(lastPosition), aPosition),
    sortedBy: fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 2 }),
  })
  .map(({ groupBys, metrics, filters, dates: [one, other], onlyChannels, position, sortedBy }) => {
    const sortable: readonly string[] = [...metrics, ...groupBys];
    const sorts = sortedBy.map(([field, isAscending]) => ({
      fieldName: sortable[field % sortable.length] ?? "",
      isAscending,
    }));
    const [from, to] = one < other ? [one, other] : [other, one];
    return {
      appId: 1,
      currency: "KRW",
      query: { from, to, groupBys, metrics, filters, sorts },
      onlyChannels,
      position,
    };
  });
