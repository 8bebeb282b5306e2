import { DateTime } from "luxon";
import type { AppEvent, Source, Touchpoint } from "../facts.ts";
import type { Spend, UploadedMetric } from "../uploads.ts";

type MeasuredFact =
  | { readonly is: "touchpoint"; readonly of: Touchpoint }
  | { readonly is: "event"; readonly of: AppEvent };
type UploadedFact =
  | { readonly is: "spend"; readonly of: Spend }
  | { readonly is: "uploaded"; readonly of: UploadedMetric };

export type Fact = MeasuredFact | UploadedFact;

const targets = ["app_install", "app_deeplink_open", "app_deeplink_pageview"];

/** Columns of uploaded rows that have the name of their group-by. */
const reported = new Set([
  "channel",
  "channel_type",
  "campaign",
  "campaign_id",
  "ad_group",
  "sub_publisher",
  "country",
  "os_name",
  "currency",
  "event_category",
  "event_source",
  "is_first_event_per_device_id",
  "is_first_event_per_user_id",
]);

/** The value of a fact under a group-by (contract/reports.md#group-bys); null: none. */
export function groupValueOf(fact: Fact, groupBy: string): string | null {
  if (fact.is === "spend" || fact.is === "uploaded")
    return dateValueOf(fact.of.date, groupBy) ?? uploadedValueOf(fact, groupBy);
  return dateValueOf(fact.of.date, groupBy) ?? measuredValueOf(fact, groupBy);
}

function dateValueOf(day: string, groupBy: string): string | null {
  const date = DateTime.fromISO(day);
  switch (groupBy) {
    case "event_date":
      return day;
    case "event_year":
      return date.toFormat("yyyy");
    case "event_month":
      return date.toFormat("yyyy-MM");
    case "event_week":
      return date.startOf("week").toISODate();
    case "event_day_of_week":
      return String(date.weekday);
    default:
      return null;
  }
}

function uploadedValueOf(fact: UploadedFact, groupBy: string): string | null {
  switch (groupBy) {
    case "event_type":
      return "uploaded";
    case "event_name":
      return fact.is === "uploaded" ? fact.of.event_category : null;
    default: {
      const columns: { readonly [column: string]: unknown } = { ...fact.of };
      const value = reported.has(groupBy) ? (columns[groupBy] ?? null) : null;
      return value === null ? null : String(value);
    }
  }
}

function measuredValueOf(fact: MeasuredFact, groupBy: string): string | null {
  const { of } = fact;
  const source: Source | undefined = fact.is === "touchpoint" ? fact.of.source : fact.of.label?.source;
  switch (groupBy) {
    case "event_hour":
      return String(of.hour).padStart(2, "0");
    case "event_source":
      return fact.is === "touchpoint" ? "tracking_link" : fact.of.sentFrom;
    case "event_type":
      if (fact.is === "touchpoint") return "touchpoint";
      return targets.includes(fact.of.category) ? "target" : "in_app";
    case "event_category":
      return fact.is === "touchpoint" ? fact.of.kind : fact.of.category;
    case "event_name":
      return fact.is === "touchpoint" ? fact.of.kind : fact.of.category.replace("custom:", "");
    case "channel":
      return source?.channel ?? "unattributed";
    case "channel_type":
      return source?.channel_type ?? null;
    case "campaign":
      return source?.campaign || null;
    case "campaign_id":
    case "ad_group":
      return null;
    case "sub_id_1":
      return source?.sub_id_1 || null;
    case "sub_publisher":
      return source?.sub_publisher || null;
    case "tracking_link_id":
      return source?.tracking_link_id?.toString() ?? null;
    case "is_reengagement":
      return source === undefined ? null : String(source.is_reengagement === "ON-TRUE");
    case "touchpoint_type":
      return fact.is === "touchpoint" ? fact.of.kind : (fact.of.label?.kind ?? null);
    case "os_name":
      return of.client.os_name || null;
    case "country":
      return of.client.country || null;
    case "device_model":
      return of.client.device_model || null;
    case "is_first_event_per_device_id":
      return fact.is === "touchpoint" ? null : String(fact.of.isFirstOfDevice);
    case "is_first_event_per_user_id":
      return fact.is === "touchpoint" ? null : (fact.of.isFirstOfUser?.toString() ?? null);
    case "currency":
      return fact.is === "touchpoint" || fact.of.cents === null ? null : fact.of.currency;
    default:
      throw new Error(`The reference does not know ${groupBy}`);
  }
}
