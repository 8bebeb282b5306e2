// NOTE storage format
import type { DomainEvent } from "../recorded-event.ts";

export type ChannelType = "integrated" | "custom";

export interface ChannelProfile {
  readonly name: string;
  /** What the dashboard shows. */
  readonly displayName: string;
  readonly type: ChannelType;
  readonly selfAttributing: boolean;
  readonly costIntegrated: boolean;
}

export type ChannelRegistered = DomainEvent<"ChannelRegistered", ChannelProfile>;
export type ChannelChanged = DomainEvent<"ChannelChanged", ChannelProfile>;
export type ChannelEvent = ChannelRegistered | ChannelChanged;
