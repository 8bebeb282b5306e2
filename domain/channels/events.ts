// NOTE storage format
import type { DomainEvent } from "../event.ts";

export type ChannelType = "integrated" | "custom";

export interface ChannelProfile {
  readonly name: string;
  /** The name that dashboards show. */
  readonly displayName: string;
  readonly type: ChannelType;
  readonly selfAttributing: boolean;
  readonly costIntegrated: boolean;
}

export type ChannelRegistered = DomainEvent<"ChannelRegistered", ChannelProfile>;
export type ChannelChanged = DomainEvent<"ChannelChanged", ChannelProfile>;
/**
 * The channel may read conversion values with a new key, which replaces the previous one
 * (contract/administration.md#certification).
 */
export type ChannelCertified = DomainEvent<
  "ChannelCertified",
  {
    readonly channel: string;
    /** The value of `response_format` in calls of the feeds. */
    readonly responseFormat: string;
    /** First 32 hex digits of the SHA-256 of the key's text. */
    readonly tokenId: string;
    /** The other 32. */
    readonly secretHashRest: string;
  }
>;

/** The key no longer works. */
export type CertificationRevoked = DomainEvent<
  "CertificationRevoked",
  { readonly channel: string; readonly tokenId: string }
>;

export type CertificationEvent = ChannelCertified | CertificationRevoked;
export type ChannelEvent = ChannelRegistered | ChannelChanged;
