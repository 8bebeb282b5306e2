import * as fc from "fast-check";
import { DateTime } from "luxon";
import type { Granularity } from "../../../../domain/reporting/granularity.ts";
import type { ReportAt } from "../../../../projections/reports/query/query-context.ts";
import { someRatesOn } from "../actuals/generated-facts.ts";
import { aCohortHistory, cohortHistoryOf, someFilters, someFlags, someReturnEvents } from "../cohorts/generated.ts";
import type { AppEvent, Facts } from "../facts.ts";
import type { Spend } from "../uploads.ts";
import { revenueReport } from "./examples.ts";

const metrics = ["app_revenue", "app_user_count", "app_event_count", "app_roas", "app_arpu", "app_arppu"] as const;

interface History {
  readonly appEvents: readonly AppEvent[];
  readonly spend: readonly Spend[];
  readonly question: ReportAt<"revenue">;
}

const aSpend = fc.record({
  channel: fc.constantFrom("kakao", "kakao", "partner", "twitter", "unspent"),
  campaign: fc.constantFrom("spring", "autumn"),
  os_name: fc.constantFrom(null, null, "iOS"),
  currency: fc.constantFrom("KRW", "EUR", "USD"),
  impressions: fc.constantFrom(0, 0, 3),
  clicks: fc.constant(0),
  cents: fc.constantFrom(0, 10, 1999),
  day: fc.integer({ min: -1, max: 5 }),
  from: fc.option(fc.integer({ min: 1, max: 9 }), { freq: 9 }),
  to: fc.option(fc.integer({ min: 2, max: 9 }), { freq: 3 }),
});

const aQuery = fc.record({
  metric: fc.constantFrom(...metrics),
  onDay: fc.boolean(),
  startEvents: fc.subarray(["app_install", "app_deeplink_open"] as const, { minLength: 1 }),
  returnEvents: someReturnEvents,
  groupBys: fc.uniqueArray(
    fc.constantFrom("channel", "campaign", "os_name", "event_date", "ad_group", "sub_id_1", "event_type", "currency"),
    { maxLength: 2 },
  ),
  filters: someFilters,
  includesTotal: fc.boolean(),
  sortedBy: fc.constantFrom(null, "metric", "metric", "totalRevenue", "totalUniqueUsers", "totalCost"),
  isAscending: fc.boolean(),
});

const aHistory = fc.record({ history: aCohortHistory, spend: fc.array(aSpend, { maxLength: 6 }), query: aQuery });

type Drawn = typeof aHistory extends fc.Arbitrary<infer History> ? History : never;

function historyOf(appId: number, granularity: Granularity, drawn: Drawn): History {
  const { appEvents, range, asOf } = cohortHistoryOf(appId, granularity, drawn.history);
  const dateAfter = (days: number): string => DateTime.fromISO(range.from).plus({ days }).toISODate() ?? "";
  const { onDay, sortedBy, isAscending, ...query } = drawn.query;
  const fieldName = sortedBy === "metric" ? query.metric : sortedBy;
  const isFine = granularity === "hour" || granularity === "minute";
  const isOnDay = onDay && query.metric !== "app_roas" && query.metric !== "app_arpu";
  const requested = {
    ...query,
    ...range,
    sorts: fieldName === null ? [] : [{ fieldName, isAscending }],
    granularity,
    aggregationType: isOnDay ? ("on-day" as const) : ("cumulative" as const),
    startEvents: isFine ? (["app_install"] as const) : query.startEvents,
  };
  return {
    appEvents,
    spend: drawn.spend.map(({ day, ...row }) => ({ ...ofNothingElse, appId, date: dateAfter(day), ...row })),
    question: revenueReport(requested, asOf),
  };
}

const ofNothingElse = { channel_type: "custom", campaign_id: null, ad_group: null, sub_publisher: null, country: null };

/** Dates with rates: before, in and between the histories. */
const someRates = someRatesOn([
  ...["2018-11-04", "2019-01-01", "2025-03-09", "2025-05-01", "2025-11-02", "2026-02-01", "2026-02-28"],
]);

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
