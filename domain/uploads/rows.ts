import type { ChannelType } from "../channels/events.ts";
import type { CampaignParams, PublisherParams } from "../values/campaign-params.ts";
import type { CellValue } from "./cell.ts";
import type { MetricRow, SpendRow, UploadKind } from "./events.ts";

/** Fields that a column of its own fills. */
export type CellField = Exclude<
  keyof SpendRow | keyof MetricRow,
  "row" | "channelType" | "campaignParams" | "publisher"
>;

/** What the cells of one row say; undefined: nothing. Right for its kind when no cell has a fault. */
export interface RowCells {
  row: number;
  channelType: ChannelType;
  campaignParams: CampaignParams;
  publisher: PublisherParams;
  readonly fields: { [Field in CellField]: CellValue | undefined };
}

export const noFields: RowCells["fields"] = {
  date: undefined,
  channel: undefined,
  currency: undefined,
  impressions: undefined,
  clicks: undefined,
  cost: undefined,
  eventCategory: undefined,
  eventValue: undefined,
  country: undefined,
  osName: undefined,
  adAccount: undefined,
  adAccountId: undefined,
  eventSource: undefined,
  isFirstEventPerDeviceId: undefined,
  isFirstEventPerUserId: undefined,
};

type Mutable<Row> = { -readonly [Field in keyof Row]: Row[Field] };

/** The row that an upload of a kind holds. */
export type RowOf<Kind extends UploadKind> = Kind extends "metric" ? MetricRow : SpendRow;

// Both are written out, required fields first: 200,000 rows of one shape take half the memory and time of rows that grow.

/** A row of ad spend or legacy cost. */
export function spendRow({ row, channelType, campaignParams, publisher, fields }: RowCells): SpendRow {
  const spend: Mutable<SpendRow> = {
    row,
    date: fields.date as string,
    channel: fields.channel as string,
    channelType,
    campaignParams: campaignParams as SpendRow["campaignParams"],
    publisher,
    currency: fields.currency as string,
    impressions: fields.impressions as number,
    clicks: fields.clicks as number,
    cost: fields.cost as string,
  };
  if (fields.country !== undefined) spend.country = fields.country as string;
  if (fields.osName !== undefined) spend.osName = fields.osName as string;
  if (fields.adAccount !== undefined) spend.adAccount = fields.adAccount as string;
  if (fields.adAccountId !== undefined) spend.adAccountId = fields.adAccountId as string;
  return spend;
}

/** A row of an uploaded metric. */
export function metricRow({ row, channelType, campaignParams, publisher, fields }: RowCells): MetricRow {
  const metric: Mutable<MetricRow> = {
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
  if (fields.eventSource !== undefined) metric.eventSource = fields.eventSource as "app" | "web" | "tracking_link";
  if (fields.isFirstEventPerDeviceId !== undefined) {
    metric.isFirstEventPerDeviceId = fields.isFirstEventPerDeviceId as boolean;
  }
  if (fields.isFirstEventPerUserId !== undefined) {
    metric.isFirstEventPerUserId = fields.isFirstEventPerUserId as boolean;
  }
  return metric;
}
