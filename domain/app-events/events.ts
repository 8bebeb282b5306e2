// NOTE storage format
import type { DomainEvent } from "../event.ts";
import type { OperatingSystem } from "../touchpoints/events.ts";

export type EventSource = "app" | "web";

/** The device without personal fields. */
export interface DeviceDescription {
  readonly os?: OperatingSystem;
  readonly osVersion?: string;
  readonly model?: string;
  readonly manufacturer?: string;
  readonly type?: string;
  readonly language?: string;
  /** ISO 3166, upper case. */
  readonly country?: string;
  readonly timezone?: string;
  readonly appVersion?: string;
}

/** Personal fields, kept apart so that the codec could encrypt them. */
export interface AppEventPerson {
  readonly deviceId: string;
  readonly gaid?: string;
  readonly idfa?: string;
  readonly idfv?: string;
  readonly ip?: string;
  readonly userAgent?: string;
  readonly externalUserId?: string;
  readonly partnerDeviceId?: string;
  /** As sent, for audits; may contain anything. */
  readonly installReferrer?: string;
  readonly deeplinkUrl?: string;
}

export type AppEventRecorded = DomainEvent<
  "AppEventRecorded",
  {
    /** UUID, lower case: the deduplication key per app (contract/ingest.md#event-fields). */
    readonly eventId: string;
    readonly appId: number;
    /** When it happened, ISO 8601 in UTC with milliseconds. */
    readonly at: string;
    readonly source: EventSource;
    /** An event category (contract/reports.md#event-categories), or `custom:<name>`. */
    readonly category: string;
    readonly action: string | null;
    readonly label: string | null;
    /** Plain decimal text, exactly the number sent; null without one. */
    readonly value: string | null;
    /** ISO 4217, upper case; null without a value. */
    readonly currency: string | null;
    readonly properties: { readonly [name: string]: string | number | boolean | null } | null;
    /** UUIDv8 of HMAC(the app's salt, device id): the `userId` (contract/ingest.md#devices). */
    readonly deviceKey: string;
    readonly device: DeviceDescription;
    /** The touchpoint that the referrer or deeplink names (`tl_click_id`); lower-case UUID. */
    readonly clickId: string | null;
    readonly person: AppEventPerson;
  }
>;

export type AppEventsEvent = AppEventRecorded;
