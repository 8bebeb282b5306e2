import type { ChannelProfile } from "../channels/events.ts";
import type { DateRange } from "./upload-limits.ts";

/** What reading a cell needs to know beyond the cell. */
export interface UploadRules {
  readonly dates: DateRange;
  /** Whether an upper-case code is one of ISO 4217. */
  isCurrency(code: string): boolean;
  /** Whether an upper-case code is one of ISO 3166. */
  isCountryCode(code: string): boolean;
  /**
   * Whether a name can be a channel's, registered or custom, and is not reserved (contract/administration.md#channels).
   */
  isChannelName(name: string): boolean;
  /** Whether reports use the name for something else (contract/administration.md#channels). */
  isReservedChannel(name: string): boolean;
  /** The channel registered under exactly that name; null when none is. */
  channelNamed(name: string): ChannelProfile | null;
  /** The registered channel that the dashboard shows under that name; null when none is. */
  channelShownAs(displayName: string): ChannelProfile | null;
  /** Whether the actuals report has a metric under that key already (contract/reports.md#metrics). */
  isReportMetric(key: string): boolean;
}

/**
 * Registered channels by the name that the dashboard shows. Where several show the same one, it means the channel whose
 * own name comes first, so that the answer does not depend on the order of registration.
 */
export function channelsByDisplayName(channels: Iterable<ChannelProfile>): ReadonlyMap<string, ChannelProfile> {
  const shown = new Map<string, ChannelProfile>();
  for (const channel of channels) {
    const known = shown.get(channel.displayName);
    if (known === undefined || channel.name < known.name) shown.set(channel.displayName, channel);
  }
  return shown;
}
