// NOTE storage format
import type { AttributionRules } from "../attribution/events.ts";
import type { DomainEvent } from "../event.ts";

export interface AppSettings {
  readonly name: string;
  /** IANA name; reports use the days, weeks and months of this zone. */
  readonly timezone: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly companyName: string | null;
  readonly ownerEmail: string;
  readonly iosStoreId: string | null;
  readonly androidPackage: string | null;
  readonly iosStoreUrl: string | null;
  readonly androidStoreUrl: string | null;
  readonly desktopUrl: string | null;
  readonly redirectHosts: readonly string[];
  /** Origins whose web pages may call the API (contract/http.md#cross-origin-requests); absent: none. */
  readonly allowedOrigins?: readonly string[];
  /** Team id and bundle id of the apps that open links on iOS (contract/tracking-links.md#opening-in-apps); absent: none. */
  readonly iosAppIds?: readonly string[];
  /** SHA-256 fingerprints of the certificates that `androidPackage` is signed with; absent: none. */
  readonly androidCertificates?: readonly string[];
}

export type AppRegistered = DomainEvent<
  "AppRegistered",
  AppSettings & {
    readonly appId: number;
    /** Key of the HMAC that makes a device id a device key (contract/ingest.md#devices); 64 hex digits. */
    readonly salt: string;
    /** Ids of the tokens issued with the app. */
    readonly tokenIds: { readonly api: string; readonly link: string; readonly sdk: string; readonly web: string };
  }
>;

/** The settings of an app that can change (contract/administration.md#apps). */
export type ChangeableSettings = Omit<AppSettings, "name" | "timezone" | "currency">;

/** All changeable settings of an app, after a change. */
export type AppSettingsChanged = DomainEvent<"AppSettingsChanged", ChangeableSettings & { readonly appId: number }>;

export type AppRegistryEvent = AppRegistered | AppSettingsChanged;

/**
 * An uploaded metric is hidden from metadata and refused in new queries (contract/administration.md#archived-metrics).
 */
export type UploadedMetricArchived = DomainEvent<
  "UploadedMetricArchived",
  { readonly appId: number; readonly eventCategory: string }
>;

export type UploadedMetricRestored = DomainEvent<
  "UploadedMetricRestored",
  { readonly appId: number; readonly eventCategory: string }
>;

export type UploadedMetricEvent = UploadedMetricArchived | UploadedMetricRestored;

/** Later target events are attributed by these rules (contract/administration.md#attribution-rules). */
export type AttributionRulesChanged = DomainEvent<
  "AttributionRulesChanged",
  { readonly appId: number; readonly rules: AttributionRules }
>;

/** The app's context calls are enabled, as they are by default (contract/administration.md#context-switch). */
export type ContextActivated = DomainEvent<"ContextActivated", { readonly appId: number }>;
/** The app's context calls are refused from now on (contract/administration.md#context-switch). */
export type ContextDeactivated = DomainEvent<"ContextDeactivated", { readonly appId: number }>;

export type ContextSwitched = ContextActivated | ContextDeactivated;

/** Events of an app's stream. */
export type AppStreamEvent = UploadedMetricEvent | AttributionRulesChanged | ContextSwitched;
