import { type CampaignField, campaignFields, type PublisherField, publisherFields } from "../values/campaign-params.ts";
import { type CellFault, cellFault, type ReadCell } from "./cell.ts";
import { readChannel, readLowerChannel } from "./channel-cells.ts";
import { readDate } from "./date-cells.ts";
import type { UploadKind } from "./events.ts";
import { readCost, readEventValue, readWholeNumber } from "./number-cells.ts";
import type { CellField } from "./rows.ts";
import {
  readBoolean,
  readCountry,
  readCurrency,
  readEventCategory,
  readEventSource,
  readLowerCountry,
  readOsName,
  readText,
  readUpperCurrency,
} from "./text-cells.ts";

/** Where a row keeps a column's values. */
type Place =
  | { readonly in: "row"; readonly field: CellField }
  | { readonly in: "campaignParams"; readonly field: CampaignField }
  | { readonly in: "publisher"; readonly field: PublisherField };

/** One column of a kind of upload (contract/uploads.md#columns). */
export interface Column {
  readonly name: string;
  /** What a blank cell is: a fault where the column is required, no value where it is not. */
  readonly blank: CellFault | null;
  readonly read: ReadCell;
  readonly place: Place;
}

/** Whether a file must have the column, with a value in every row. */
export function isRequired({ blank }: Column): boolean {
  return blank !== null;
}

const notBlank = cellFault("must not be blank");
const blankNumber = cellFault("must not be blank: write 0 where there is nothing");

const required = (name: string, field: CellField, read: ReadCell, blank: CellFault | null = notBlank): Column => ({
  name,
  blank,
  read,
  place: { in: "row", field },
});

const number = (name: string, field: CellField, read: ReadCell): Column => required(name, field, read, blankNumber);
const optional = (name: string, field: CellField, read: ReadCell): Column => required(name, field, read, null);

const campaignParam = (name: keyof typeof campaignFields): Column => ({
  name,
  blank: null,
  read: readText,
  place: { in: "campaignParams", field: campaignFields[name] },
});

const publisherColumns = Object.entries(publisherFields).map(
  ([name, field]): Column => ({ name, blank: null, read: readText, place: { in: "publisher", field } }),
);

const adSpend: readonly Column[] = [
  required("date", "date", readDate),
  required("channel", "channel", readChannel),
  required("currency", "currency", readCurrency),
  { ...campaignParam("campaign"), blank: notBlank },
  number("impressions", "impressions", readWholeNumber),
  number("clicks", "clicks", readWholeNumber),
  number("cost", "cost", readCost),
  campaignParam("campaign_id"),
  campaignParam("ad_group"),
  campaignParam("ad_group_id"),
  campaignParam("ad_creative"),
  campaignParam("ad_creative_id"),
  campaignParam("term"),
  campaignParam("term_id"),
  optional("ad_account_id", "adAccountId", readText),
  ...publisherColumns,
  optional("country", "country", readCountry),
  optional("os_name", "osName", readOsName),
];

/** As ad spend, but for what legacy cost files write otherwise (contract/uploads.md#legacy-cost). */
const legacyReaders: { readonly [name: string]: ReadCell } = {
  channel: readLowerChannel,
  currency: readUpperCurrency,
  country: readLowerCountry,
};

const legacyCost: readonly Column[] = [
  ...adSpend.map((column): Column => ({ ...column, read: legacyReaders[column.name] ?? column.read })),
  optional("ad_account", "adAccount", readText),
];

const metric: readonly Column[] = [
  required("date", "date", readDate),
  required("channel", "channel", readChannel),
  required("event_category", "eventCategory", readEventCategory),
  number("event_value", "eventValue", readEventValue),
  campaignParam("campaign"),
  campaignParam("ad_group"),
  campaignParam("ad_creative"),
  campaignParam("content"),
  campaignParam("term"),
  ...publisherColumns,
  optional("event_source", "eventSource", readEventSource),
  optional("os_name", "osName", readOsName),
  optional("country", "country", readCountry),
  optional("currency", "currency", readCurrency),
  optional("is_first_event_per_device_id", "isFirstEventPerDeviceId", readBoolean),
  optional("is_first_event_per_user_id", "isFirstEventPerUserId", readBoolean),
];

/** The columns of each kind of upload; their order in a file does not matter. */
export const columnsOf: Readonly<Record<UploadKind, readonly Column[]>> = {
  ad_spend: adSpend,
  legacy_cost: legacyCost,
  metric,
};
