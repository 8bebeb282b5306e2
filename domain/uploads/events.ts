// NOTE storage format

import type { ChannelProfile, ChannelType } from "../channels/events.ts";
import type { DomainEvent } from "../event.ts";
import type { Fault } from "../fault.ts";
import type { OperatingSystem } from "../touchpoints/events.ts";
import type { CampaignParams, PublisherParams } from "../values/campaign-params.ts";

/** The kinds of upload; each is defined in `upload-kinds.ts`. */
export type UploadKind = "ad_spend" | "legacy_cost" | "metric";

/** The file's bytes are in stream `uploadFile-<requestId>` already, as `FileChunk` events in order. */
export type UploadReceived = DomainEvent<
  "UploadReceived",
  {
    readonly requestId: string;
    readonly appId: number;
    readonly kind: UploadKind;
    /** As sent; null when the part has no file name. */
    readonly fileName: string | null;
    /** Size of the file as sent. */
    readonly bytes: number;
    /** Of these bytes, hex. */
    readonly sha256: string;
    readonly receivedAt: string;
  }
>;

/** A registered channel as it was when a file was validated. */
export type NamedChannel = Pick<ChannelProfile, "name" | "displayName" | "type">;

/** The file is valid by the rules of its kind. */
export type UploadValidated = DomainEvent<
  "UploadValidated",
  {
    readonly requestId: string;
    readonly rows: number;
    /** The registered channels that the rows name; absent in older events. */
    readonly channels?: readonly NamedChannel[];
    readonly validatedAt: string;
  }
>;

/** The file is invalid. The path of a fault is its column, or empty for the whole file. */
export type UploadRejected = DomainEvent<
  "UploadRejected",
  { readonly requestId: string; readonly faults: readonly Fault[]; readonly rejectedAt: string }
>;

/** Texts are never empty. A field is absent when its cell was blank. */
interface AdvertisingRow {
  /** Number of the row in its file; the header is row 1. */
  readonly row: number;
  /** Local date of the app. */
  readonly date: string;
  /** The name of a registered channel, or a custom channel as spelled (contract/administration.md#channels). */
  readonly channel: string;
  readonly channelType: ChannelType;
  readonly campaignParams: CampaignParams;
  readonly publisher: PublisherParams;
  /** ISO 3166 and ISO 4217 codes, upper case. */
  readonly country?: string;
  readonly currency?: string;
  readonly osName?: OperatingSystem | (string & {});
}

export interface SpendRow extends AdvertisingRow {
  readonly campaignParams: CampaignParams & { readonly campaign: string };
  readonly currency: string;
  readonly impressions: number;
  readonly clicks: number;
  /** Decimal text, at most 6 decimals. */
  readonly cost: string;
  readonly adAccount?: string;
  readonly adAccountId?: string;
}

export interface MetricRow extends AdvertisingRow {
  readonly eventCategory: string;
  /** Decimal text. */
  readonly eventValue: string;
  readonly eventSource?: "app" | "web" | "tracking_link";
  readonly isFirstEventPerDeviceId?: boolean;
  readonly isFirstEventPerUserId?: boolean;
}

interface Staged<Row> {
  readonly requestId: string;
  readonly appId: number;
  /** Consecutive rows of the file. */
  readonly rows: readonly Row[];
}

/** Reports ignore staged rows before `UploadIngested`. */
export type SpendRowsStaged = DomainEvent<"SpendRowsStaged", Staged<SpendRow>>;
export type MetricRowsStaged = DomainEvent<"MetricRowsStaged", Staged<MetricRow>>;
export type RowsStaged = SpendRowsStaged | MetricRowsStaged;
/** A row of any kind of upload. */
export type UploadedRow = RowsStaged["data"]["rows"][number];

/**
 * From this event's position on, all rows of the upload are in force, and replace older rows with the same keys
 * (contract/uploads.md#replacement).
 */
export type UploadIngested = DomainEvent<
  "UploadIngested",
  {
    readonly requestId: string;
    readonly appId: number;
    readonly kind: UploadKind;
    readonly rows: number;
    readonly ingestedAt: string;
  }
>;

/** Reports can read the rows. */
export type UploadSucceeded = DomainEvent<
  "UploadSucceeded",
  { readonly requestId: string; readonly succeededAt: string }
>;

/** Processing failed for technical reasons, after all retries (contract/uploads.md#record). */
export type UploadFailed = DomainEvent<
  "UploadFailed",
  { readonly requestId: string; readonly faults: readonly Fault[]; readonly failedAt: string }
>;

export type UploadEvent =
  | UploadReceived
  | UploadValidated
  | UploadRejected
  | RowsStaged
  | UploadIngested
  | UploadSucceeded
  | UploadFailed;
