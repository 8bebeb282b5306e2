import { earliestDate } from "../../values/local-time.ts";
import { readChannel } from "../cells/channel.ts";
import { readDate } from "../cells/date.ts";
import { readEventValue } from "../cells/number.ts";
import {
  readBoolean,
  readCountry,
  readCurrency,
  readEventCategory,
  readEventSource,
  readOsName,
} from "../cells/text.ts";
import type { MetricRow } from "../events.ts";
import { optionalColumn, publisherColumns, requiredColumn, requiredNumber } from "./columns.ts";
import type { Column, RowCells, UploadModule } from "./upload-module.ts";

const columns: readonly Column[] = [
  requiredColumn("date", readDate, "date"),
  requiredColumn("channel", readChannel),
  requiredColumn("event_category", readEventCategory),
  requiredNumber("event_value", readEventValue, "decimal"),
  optionalColumn("campaign"),
  optionalColumn("ad_group"),
  optionalColumn("ad_creative"),
  optionalColumn("content"),
  optionalColumn("term"),
  ...publisherColumns,
  optionalColumn("event_source", readEventSource),
  optionalColumn("os_name", readOsName),
  optionalColumn("country", readCountry),
  optionalColumn("currency", readCurrency),
  optionalColumn("is_first_event_per_device_id", readBoolean, "boolean"),
  optionalColumn("is_first_event_per_user_id", readBoolean, "boolean"),
];

export const metric = {
  title: "metrics",
  path: "/self-serve-data/v1/metric/requests",
  acceptsServiceApiKey: false,
  columns,
  maxRows: 200_000,
  earliestDate: () => earliestDate,
  table: {
    name: "uploaded_metrics",
    stagedBy: "MetricRowsStaged",
    overwriteKey: ["date", "channel", "event_category"],
    columns,
    buildRow: metricRow,
  },
} as const satisfies UploadModule;

/** Required fields first, each written out: rows of one shape take half the memory and time of rows that grow. */
function metricRow({ row, channelType, campaignParams, publisher, fields }: RowCells): MetricRow {
  const metric: { -readonly [Field in keyof MetricRow]: MetricRow[Field] } = {
    row,
    date: fields.date as string,
    channel: fields.channel as string,
    channelType,
    campaignParams,
    publisher,
    eventCategory: fields.eventCategory as string,
    eventValue: fields.eventValue as string,
  };
  if (fields.country !== undefined) metric.country = fields.country as string;
  if (fields.currency !== undefined) metric.currency = fields.currency as string;
  if (fields.osName !== undefined) metric.osName = fields.osName as string;
  if (fields.eventSource !== undefined)
    metric.eventSource = fields.eventSource as NonNullable<MetricRow["eventSource"]>;
  if (fields.isFirstEventPerDeviceId !== undefined) {
    metric.isFirstEventPerDeviceId = fields.isFirstEventPerDeviceId as boolean;
  }
  if (fields.isFirstEventPerUserId !== undefined) {
    metric.isFirstEventPerUserId = fields.isFirstEventPerUserId as boolean;
  }
  return metric;
}
