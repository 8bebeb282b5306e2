import * as fc from "fast-check";
import { filterTypes } from "../../../../domain/reporting/query-validation.ts";
import { aDate, aPosition, dates, lastPosition } from "./generated-facts.ts";
import type { ReferenceQuestion } from "./reference.ts";
import { uploadedNames } from "./reference-measures.ts";

/** Soon after, and when all, some and none of the dates are 175 days ago at most. */
const instants = ["2026-03-03", "2026-08-21", "2026-08-23", "2026-08-24", "2026-09-09"].map((date) => {
  return new Date(`${date}T01:00:00Z`);
});

export const someGroupBys = [
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
  "campaign_id",
  "ad_group",
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

export const someMetrics = [
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
  "impressions_channel",
  "clicks_channel",
  "cost_channel",
  "cpi",
  "cpc",
  "cpm",
  "roas",
  ...uploadedNames,
  "custom:level_up",
  "custom_users:level_up",
] as const;

const aFilter = fc.record({
  dimension: fc.constantFrom(...someGroupBys),
  filterType: fc.constantFrom(...filterTypes),
  values: fc.subarray(
    [
      "",
      "kakao",
      "twitter",
      "unattributed",
      "spring",
      "it's 100%",
      "봄",
      "2026-02-28",
      "09",
      "app_install",
      "true",
      "iOS",
      "KRW",
      "uploaded",
      "newcomers",
      "*",
      "PARTNER Ü",
      "K*K",
      "*pr*n*",
      "0%",
      "_",
      "\\",
      "봄*",
    ],
    { minLength: 0, maxLength: 8 },
  ),
});

export const aQuestion: fc.Arbitrary<ReferenceQuestion> = fc
  .record({
    groupBys: fc.uniqueArray(fc.constantFrom(...someGroupBys), { maxLength: 4 }),
    metrics: fc.uniqueArray(fc.constantFrom(...someMetrics), { minLength: 1, maxLength: 6 }),
    filters: fc.oneof(fc.constant([]), fc.array(aFilter, { minLength: 1, maxLength: 2 })),
    dates: fc.oneof(fc.constant([dates[0], dates[3]] as const), fc.tuple(aDate, aDate)),
    onlyChannels: fc.constantFrom(null, null, null, ["kakao"], ["partner", "twitter", "unattributed"], []),
    position: fc.oneof(fc.constant(lastPosition), aPosition),
    now: fc.constantFrom(...instants),
    sortedBy: fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 2 }),
  })
  .map(({ groupBys, metrics, filters, dates: [one, other], onlyChannels, position, now, sortedBy }) => {
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
      now,
    };
  });
