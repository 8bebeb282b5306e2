import type { OperatingSystem } from "../touchpoints/events.ts";
import type { EventSource } from "./events.ts";

/** Limits of the properties of an event (contract/ingest.md#event-fields): their number, and the bytes of their JSON. */
export const propertyLimits = { members: 256, bytes: 8 * 1024 } as const;

/** An app event as a client sends it (contract/ingest.md#event-fields); the schema has validated its shape. */
export interface AppEventInput {
  readonly eventId: string;
  /** ISO 8601 with offset, or epoch milliseconds. */
  readonly eventTimestamp: string | number;
  readonly source?: EventSource | "";
  readonly category: string;
  readonly action?: string;
  readonly label?: string;
  readonly value?: number;
  readonly currency?: string;
  readonly properties?: { readonly [name: string]: string | number | boolean | null };
  readonly device: DeviceInput;
  readonly user?: { readonly externalUserId?: string; readonly partnerDeviceId?: string };
  readonly referrer?: ReferrerInput;
}

export interface DeviceInput {
  readonly id: string;
  readonly os?: OperatingSystem | "";
  readonly gaid?: string;
  readonly idfa?: string;
  readonly idfv?: string;
  readonly ip?: string;
  // Descriptions, of any type (device-and-person.ts).
  readonly osVersion?: unknown;
  readonly model?: unknown;
  readonly manufacturer?: unknown;
  readonly type?: unknown;
  readonly language?: unknown;
  readonly country?: unknown;
  readonly timezone?: unknown;
  readonly userAgent?: unknown;
  readonly appVersion?: unknown;
}

export interface ReferrerInput {
  readonly clickId?: string;
  readonly installReferrer?: string;
  readonly deeplinkUrl?: string;
}
