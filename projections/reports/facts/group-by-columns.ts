import { targetCategories } from "../../../domain/attribution/target-event.ts";
import { type GroupByKey, isGroupByKey } from "../../../domain/reporting/catalogue/group-bys.ts";
import { eventSources, eventTypes, unattributedChannel } from "../../../domain/reporting/catalogue/report-constants.ts";
import type { SchemaName } from "../../projection.ts";
import type { FactKind } from "./fact-kinds.ts";

/** What a group-by reads besides the fact itself (alias `fact`); also the alias of the join. */
export type Dimension = "source" | "client" | "day";

/** The source of the text of a group-by. Null as SQL: such facts have none. */
interface FactColumn {
  readonly reads: Dimension | null;
  readonly text: string;
  /** The columns of the fact itself that the text reads. */
  readonly columns: readonly string[];
}

/** SQL of a group-by's text for each kind of facts. Missing is null. */
export type GroupByColumn = { readonly [kind in FactKind]: FactColumn };

const onFact = (text: string, ...columns: readonly string[]): FactColumn => ({ reads: null, text, columns });
const factColumn = (column: string): FactColumn => onFact(`fact.${column}`, column);
const none = onFact("null");
const inDimension = (reads: Dimension, text: string): FactColumn => ({ reads, text, columns: [] });
const day = (column: string): GroupByColumn => {
  const text = inDimension("day", `day.${column}`);
  return { touchpoints: text, appEvents: text, spend: text, uploadedMetrics: text };
};
/** For touchpoints and app events; uploaded rows have none. */
const measured = (touchpoints: FactColumn, appEvents: FactColumn): GroupByColumn => {
  return { touchpoints, appEvents, spend: none, uploadedMetrics: none };
};
const joined = (reads: "source" | "client", text: string): GroupByColumn =>
  measured(inDimension(reads, text), inDimension(reads, text));
const source = (column: string): GroupByColumn => joined("source", `nullif(source.${column}, '')`);
const client = (column: string): GroupByColumn => joined("client", `nullif(client.${column}, '')`);
const inSpend = (column: string) => ({ spend: factColumn(column) });
const inUploads = (column: string) => ({ ...inSpend(column), uploadedMetrics: factColumn(column) });
const yesOrNo = (flag: string): string => `case ${flag} when true then 'true' when false then 'false' end`;
const flagColumn = (column: string): FactColumn => onFact(yesOrNo(`fact.${column}`), column);
const first = (measuredFlag: string, uploadedFlag: string): GroupByColumn => ({
  ...measured(none, flagColumn(measuredFlag)),
  uploadedMetrics: flagColumn(uploadedFlag),
});
const listed = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(", ");
const uploadedType = onFact(`'${eventTypes.uploaded}'`);
const localHour = onFact("lpad(fact.local_hour::text, 2, '0')", "local_hour");

/** How each group-by of the catalogue is read from the facts. */
export const groupByColumns: { readonly [key in GroupByKey]: GroupByColumn } = {
  event_date: day("date"),
  event_year: day("year"),
  event_month: day("month"),
  event_week: day("week"),
  event_day_of_week: day("day_of_week"),
  event_hour: measured(localHour, localHour),
  event_source: {
    ...measured(onFact(`'${eventSources.touchpoint}'`), factColumn("source")),
    uploadedMetrics: factColumn("event_source"),
  },
  event_type: {
    touchpoints: onFact(`'${eventTypes.touchpoint}'`),
    appEvents: onFact(
      `case when fact.category in (${listed(targetCategories)}) then '${eventTypes.target}' else '${eventTypes.inApp}' end`,
      "category",
    ),
    spend: uploadedType,
    uploadedMetrics: uploadedType,
  },
  event_category: {
    ...measured(factColumn("kind"), factColumn("category")),
    uploadedMetrics: factColumn("event_category"),
  },
  event_name: {
    ...measured(
      factColumn("kind"),
      onFact(
        "case when starts_with(fact.category, 'custom:') then substr(fact.category, 8) else fact.category end",
        "category",
      ),
    ),
    uploadedMetrics: factColumn("event_category"),
  },
  channel: {
    touchpoints: inDimension("source", "source.channel"),
    appEvents: inDimension("source", `coalesce(source.channel, '${unattributedChannel}')`),
    ...inUploads("channel"),
  },
  channel_type: { ...source("channel_type"), ...inUploads("channel_type") },
  campaign: { ...source("campaign"), ...inUploads("campaign") },
  campaign_id: { ...source("campaign_id"), ...inSpend("campaign_id") },
  ad_group: { ...source("ad_group"), ...inUploads("ad_group") },
  ad_group_id: { ...source("ad_group_id"), ...inSpend("ad_group_id") },
  ad_creative: { ...source("ad_creative"), ...inUploads("ad_creative") },
  ad_creative_id: { ...source("ad_creative_id"), ...inSpend("ad_creative_id") },
  content: { ...source("content"), ...inUploads("content") },
  term: { ...source("term"), ...inUploads("term") },
  term_id: { ...source("term_id"), ...inSpend("term_id") },
  sub_publisher: { ...source("sub_publisher"), ...inUploads("sub_publisher") },
  sub_sub_publisher_1: { ...source("sub_sub_publisher_1"), ...inUploads("sub_sub_publisher_1") },
  sub_sub_publisher_2: { ...source("sub_sub_publisher_2"), ...inUploads("sub_sub_publisher_2") },
  sub_sub_publisher_3: { ...source("sub_sub_publisher_3"), ...inUploads("sub_sub_publisher_3") },
  sub_id: source("sub_id"),
  sub_id_1: source("sub_id_1"),
  sub_id_2: source("sub_id_2"),
  sub_id_3: source("sub_id_3"),
  tracking_link_id: joined("source", "source.tracking_link_id::text"),
  touchpoint_type: measured(factColumn("kind"), factColumn("touchpoint_kind")),
  is_reengagement: joined("source", yesOrNo("(source.is_reengagement = 'ON-TRUE')")),
  os_name: { ...client("os_name"), ...inUploads("os_name") },
  os_version: client("os_version"),
  app_version: client("app_version"),
  country: { ...client("country"), ...inUploads("country") },
  language: client("language"),
  device_model: client("device_model"),
  device_manufacturer: client("device_manufacturer"),
  device_type: client("device_type"),
  is_first_event_per_device_id: first("is_first_of_device", "is_first_event_per_device_id"),
  is_first_event_per_user_id: first("is_first_of_user", "is_first_event_per_user_id"),
  currency: { ...measured(none, factColumn("currency")), ...inUploads("currency") },
};

/** The columns of a fact that its join with a dimension reads. */
export const joinColumns: { readonly [dimension in Dimension]: readonly string[] } = {
  source: ["app_id", "source_key"],
  client: ["app_id", "client_key"],
  day: ["local_date"],
};

/** Joins `fact` with a dimension by the key that it has. */
export function dimensionJoin(dimension: Exclude<Dimension, "day">, schema: SchemaName): string {
  const table = dimension === "source" ? `${schema}.sources as source` : `${schema}.clients as client`;
  const key = `${dimension}_key`;
  return `left join ${table} on ${dimension}.app_id = fact.app_id and ${dimension}.${key} = fact.${key}`;
}

/** The column of a group-by or filter of a validated query. */
export function columnOf(key: string): GroupByColumn {
  if (!isGroupByKey(key)) throw new Error(`A recorded report groups or filters by ${key}, which the catalogue lacks`);
  return groupByColumns[key];
}

/** The names of the columns that a statement groups by: `g0`, `g1`, ... */
export function groupNames(groupBys: readonly unknown[]): readonly string[] {
  return groupBys.map((_, index) => `g${index}`);
}

/** The texts that facts of a kind are grouped by, under those names. */
export function groupTexts(columns: readonly GroupByColumn[], kind: FactKind): readonly string[] {
  return columns.map((column, index) => `(${column[kind].text})::text as g${index}`);
}

/** `group by` of columns. Empty without columns: an aggregate then gives exactly one row, even over no rows. */
export function groupedBy(columns: readonly string[]): string {
  return columns.length === 0 ? "" : `group by ${columns.join(", ")}`;
}
