import {
  eventSources,
  eventTypes,
  type GroupByKey,
  targetCategories,
  unattributedChannel,
} from "../../domain/reporting/catalogue.ts";

/** What a group-by reads beside the fact itself (alias `fact`); also the alias that it is joined under. */
export type Dimension = "source" | "client" | "day";

/** SQL of a group-by's text for both kinds of facts. Missing is null. */
export interface GroupByColumn {
  readonly reads: Dimension | null;
  readonly touchpoint: string;
  readonly appEvent: string;
}

const both = (reads: Dimension | null, text: string): GroupByColumn => ({ reads, touchpoint: text, appEvent: text });
const day = (column: string): GroupByColumn => both("day", `day.${column}`);
const source = (column: string): GroupByColumn => both("source", `nullif(source.${column}, '')`);
const client = (column: string): GroupByColumn => both("client", `nullif(client.${column}, '')`);
const onFact = (touchpoint: string, appEvent: string): GroupByColumn => ({ reads: null, touchpoint, appEvent });
const ofAppEvents = (text: string): GroupByColumn => onFact("null", text);
const yesOrNo = (flag: string): string => `case ${flag} when true then 'true' when false then 'false' end`;
const listed = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(", ");

/** How each group-by of the catalogue is read from the facts. */
export const groupByColumns: { readonly [key in GroupByKey]: GroupByColumn } = {
  event_date: day("date"),
  event_year: day("year"),
  event_month: day("month"),
  event_week: day("week"),
  event_day_of_week: day("day_of_week"),
  event_hour: both(null, "lpad(fact.local_hour::text, 2, '0')"),
  event_source: onFact(`'${eventSources.touchpoint}'`, "fact.source"),
  event_type: onFact(
    `'${eventTypes.touchpoint}'`,
    `case when fact.category in (${listed(targetCategories)}) then '${eventTypes.target}' else '${eventTypes.inApp}' end`,
  ),
  event_category: onFact("fact.kind", "fact.category"),
  event_name: onFact(
    "fact.kind",
    "case when starts_with(fact.category, 'custom:') then substr(fact.category, 8) else fact.category end",
  ),
  channel: {
    reads: "source",
    touchpoint: "source.channel",
    appEvent: `coalesce(source.channel, '${unattributedChannel}')`,
  },
  channel_type: source("channel_type"),
  campaign: source("campaign"),
  campaign_id: source("campaign_id"),
  ad_group: source("ad_group"),
  ad_group_id: source("ad_group_id"),
  ad_creative: source("ad_creative"),
  ad_creative_id: source("ad_creative_id"),
  content: source("content"),
  term: source("term"),
  term_id: source("term_id"),
  sub_publisher: source("sub_publisher"),
  sub_sub_publisher_1: source("sub_sub_publisher_1"),
  sub_sub_publisher_2: source("sub_sub_publisher_2"),
  sub_sub_publisher_3: source("sub_sub_publisher_3"),
  sub_id: source("sub_id"),
  sub_id_1: source("sub_id_1"),
  sub_id_2: source("sub_id_2"),
  sub_id_3: source("sub_id_3"),
  tracking_link_id: both("source", "source.tracking_link_id::text"),
  touchpoint_type: onFact("fact.kind", "fact.touchpoint_kind"),
  is_reengagement: both("source", yesOrNo("(source.is_reengagement = 'ON-TRUE')")),
  os_name: client("os_name"),
  os_version: client("os_version"),
  app_version: client("app_version"),
  country: client("country"),
  language: client("language"),
  device_model: client("device_model"),
  device_manufacturer: client("device_manufacturer"),
  device_type: client("device_type"),
  is_first_event_per_device_id: ofAppEvents(yesOrNo("fact.is_first_of_device")),
  is_first_event_per_user_id: ofAppEvents(yesOrNo("fact.is_first_of_user")),
  currency: ofAppEvents("fact.currency"),
};
