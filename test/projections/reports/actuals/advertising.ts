import { type ActualsResult, runActuals } from "../../../../projections/reports/actuals/run.ts";
import type { AppEvent, Source } from "../facts.ts";
import { openReportFacts } from "../report-facts.ts";
import type { Rate, Spend, UploadedMetric } from "../uploads.ts";
import { type ReferenceQuestion, reportTime } from "./reference.ts";

/** A campaign of a channel, as links name it. */
export const spring: Source = {
  channel: "partner",
  channel_type: "custom",
  tracking_link_id: 7,
  is_reengagement: "OFF",
  campaign: "spring",
  sub_id_1: null,
  sub_publisher: null,
};

export const install: AppEvent = {
  appId: 1,
  from: 2,
  to: null,
  date: "2026-03-01",
  hour: 10,
  client: { os_name: "Android", country: "KR", device_model: null },
  sentFrom: "app",
  category: "app_install",
  device: 1,
  cents: null,
  currency: "KRW",
  label: { source: spring, kind: "click" },
  isFirstOfDevice: true,
  isFirstOfUser: null,
};

export const order: AppEvent = { ...install, from: 3, category: "app_order_complete", cents: 10 };

/** What the same campaign cost on the same day. */
export const spend: Spend = {
  appId: 1,
  from: 4,
  to: null,
  date: "2026-03-01",
  channel: "partner",
  channel_type: "custom",
  campaign: "spring",
  campaign_id: null,
  ad_group: null,
  sub_publisher: null,
  country: null,
  os_name: null,
  currency: "KRW",
  impressions: 1000,
  clicks: 40,
  cents: 5000,
};

export const visits: UploadedMetric = {
  appId: 1,
  from: 4,
  to: null,
  date: "2026-03-01",
  channel: "partner",
  channel_type: "custom",
  campaign: "spring",
  ad_group: null,
  sub_publisher: null,
  country: null,
  os_name: null,
  event_category: "Store visits",
  event_source: null,
  cents: 300,
  currency: null,
  is_first_event_per_device_id: null,
  is_first_event_per_user_id: null,
};

/** Rates of one date, set at a position and in force from there on. */
export function ratesOf(date: string, base: string, rates: { readonly [currency: string]: string }, from = 1): Rate[] {
  return Object.entries({ [base]: "1", ...rates }).map(([currency, rate]) => {
    return { date, base, currency, rate, from, to: null };
  });
}

/** A question about March, in won, at position 9. */
export const ask = (query: Partial<ReferenceQuestion["query"]>): ReferenceQuestion => ({
  appId: 1,
  currency: "KRW",
  onlyChannels: null,
  position: 9,
  query: { from: "2026-03-01", to: "2026-03-31", groupBys: [], metrics: ["clicks"], filters: [], sorts: [], ...query },
});

export const openFacts = () =>
  openReportFacts((facts, question: ReferenceQuestion, limits) =>
    runActuals(facts, { ...reportTime, ...question, position: BigInt(question.position) }, limits),
  );

/** Rows as `[group-bys, values]`, incomplete values with a plus sign. */
export function cellsOf({ rows }: ActualsResult): readonly (readonly [readonly unknown[], readonly unknown[]])[] {
  return rows.map(({ groupBys, values, masked }) => [
    groupBys,
    values.map((value, index) => (masked[index] ? `${value}+` : value)),
  ]);
}
