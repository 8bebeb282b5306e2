import { addDays, earliestDate } from "../../values/local-time.ts";
import type { ReadCell } from "../cells/cell.ts";
import { readChannel, readLowerChannel } from "../cells/channel.ts";
import { readDate } from "../cells/date.ts";
import { readCost, readWholeNumber } from "../cells/number.ts";
import { readCountry, readCurrency, readLowerCountry, readOsName, readText, readUpperCurrency } from "../cells/text.ts";
import type { SpendRow } from "../events.ts";
import { optionalColumn, publisherColumns, requiredColumn, requiredNumber } from "./columns.ts";
import type { Column, RowCells, UploadModule, UploadTable } from "./upload-module.ts";

const adSpendColumns: readonly Column[] = [
  requiredColumn("date", readDate, "date"),
  requiredColumn("channel", readChannel),
  requiredColumn("currency", readCurrency),
  requiredColumn("campaign", readText),
  requiredNumber("impressions", readWholeNumber, "integer"),
  requiredNumber("clicks", readWholeNumber, "integer"),
  requiredNumber("cost", readCost, "decimal"),
  optionalColumn("campaign_id"),
  optionalColumn("ad_group"),
  optionalColumn("ad_group_id"),
  optionalColumn("ad_creative"),
  optionalColumn("ad_creative_id"),
  optionalColumn("term"),
  optionalColumn("term_id"),
  optionalColumn("ad_account_id"),
  ...publisherColumns,
  optionalColumn("country", readCountry),
  optionalColumn("os_name", readOsName),
];

/** As ad spend, except for values that legacy cost files spell differently (contract/uploads.md#legacy-cost). */
const legacyReaders: { readonly [name: string]: ReadCell } = {
  channel: readLowerChannel,
  currency: readUpperCurrency,
  country: readLowerCountry,
};

const legacyCostColumns: readonly Column[] = [
  ...adSpendColumns.map((column): Column => ({ ...column, read: legacyReaders[column.name] ?? column.read })),
  optionalColumn("ad_account"),
];

const spendTable = {
  name: "spend",
  stagedBy: "SpendRowsStaged",
  overwriteKey: ["date", "channel", "campaign"],
  columns: legacyCostColumns,
  buildRow: spendRow,
} as const satisfies UploadTable;

export const adSpend = {
  title: "ad spend",
  path: "/self-serve-data/v1/ad-spend/requests",
  acceptsServiceApiKey: false,
  columns: adSpendColumns,
  maxRows: 10_000,
  earliestDate: () => earliestDate,
  table: spendTable,
} as const satisfies UploadModule;

export const legacyCost = {
  title: "costs in the older format",
  path: "/custom-data-upload/v1.0/cost/requests",
  acceptsServiceApiKey: true,
  columns: legacyCostColumns,
  maxRows: 10_000,
  earliestDate: (today) => addDays(today, -92),
  table: spendTable,
} as const satisfies UploadModule;

/** Required fields first, each written out: rows of one shape take half the memory and time of rows that grow. */
function spendRow({ row, channelType, campaignParams, publisher, fields }: RowCells): SpendRow {
  const spend: { -readonly [Field in keyof SpendRow]: SpendRow[Field] } = {
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
