// NOTE storage format

import type { ChannelType } from "../channels/events.ts";
import type { DomainEvent } from "../event.ts";
import type { OperatingSystem } from "../touchpoints/events.ts";
import type { CampaignParams, PublisherParams } from "../values/campaign-params.ts";

/** The kinds of upload. Ad spend and legacy cost share one table of rows (contract/uploads.md#replacement). */
export type UploadKind = "ad_spend" | "legacy_cost" | "metric";

/** Texts by column; `file` is for faults of the whole file (contract/uploads.md#format). */
export type UploadReason = { readonly [column: string]: readonly string[] };

/** The file's bytes are in stream `uploadFile-<requestId>` already, as `FileChunk` events in order. */
export type UploadReceived = DomainEvent<
  "UploadReceived",
  {
    readonly requestId: string;
    readonly appId: number;
    readonly kind: UploadKind;
    /** As sent; null when the part named none. */
    readonly fileName: string | null;
    /** Of the file part as sent. */
    readonly bytes: number;
    /** SHA-256 of them, hex. */
    readonly sha256: string;
    readonly receivedAt: string;
  }
>;

/** The file was parsed and accepted: it has so many rows. */
export type UploadValidated = DomainEvent<
  "UploadValidated",
  { readonly requestId: string; readonly rows: number; readonly validatedAt: string }
>;

/** The file breaks rules of its kind. */
export type UploadRejected = DomainEvent<
  "UploadRejected",
  { readonly requestId: string; readonly reason: UploadReason; readonly rejectedAt: string }
>;

/** What rows of both kinds say. Numbers of rows count the header as 1; texts are never empty; absent is missing. */
interface UploadedRow {
  readonly row: number;
  /** Local date of the app. */
  readonly date: string;
  /**
   * A registered channel by its name, whatever the file called it; else a custom one as spelled
   * (contract/administration.md#channels).
   */
  readonly channel: string;
  readonly channelType: ChannelType;
  readonly campaignParams: CampaignParams;
  readonly publisher: PublisherParams;
  /** ISO 3166 and ISO 4217 codes, upper case. */
  readonly country?: string;
  readonly currency?: string;
  readonly osName?: OperatingSystem | (string & {});
}

export interface SpendRow extends UploadedRow {
  readonly campaignParams: CampaignParams & { readonly campaign: string };
  readonly currency: string;
  readonly impressions: number;
  readonly clicks: number;
  /** Decimal text, at most 6 decimals. */
  readonly cost: string;
  readonly adAccount?: string;
  readonly adAccountId?: string;
}

export interface MetricRow extends UploadedRow {
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
  /** In the order of the file; a row belongs to one chunk. */
  readonly rows: readonly Row[];
}

/** Rows on their way: in no report before `UploadIngested`. */
export type SpendRowsStaged = DomainEvent<"SpendRowsStaged", Staged<SpendRow>>;
export type MetricRowsStaged = DomainEvent<"MetricRowsStaged", Staged<MetricRow>>;

/**
 * From this event's position on, all rows of the upload are in force, in place of older ones of their keys
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

/** The read models that reports use have the rows. */
export type UploadSucceeded = DomainEvent<
  "UploadSucceeded",
  { readonly requestId: string; readonly succeededAt: string }
>;

/** A technical fault lasted too long (contract/uploads.md#record). */
export type UploadFailed = DomainEvent<
  "UploadFailed",
  { readonly requestId: string; readonly reason: UploadReason; readonly failedAt: string }
>;

export type UploadEvent =
  | UploadReceived
  | UploadValidated
  | UploadRejected
  | SpendRowsStaged
  | MetricRowsStaged
  | UploadIngested
  | UploadSucceeded
  | UploadFailed;
