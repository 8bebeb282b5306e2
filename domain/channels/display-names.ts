import type { ChannelProfile } from "./events.ts";

/**
 * The channels by their display names (contract/administration.md#channels): of several with the same one the first by
 * name, so that the order of registration does not matter.
 */
export function channelsByDisplayName(channels: Iterable<ChannelProfile>): ReadonlyMap<string, ChannelProfile> {
  const found = new Map<string, ChannelProfile>();
  for (const channel of channels) {
    const other = found.get(channel.displayName);
    if (other === undefined || channel.name < other.name) found.set(channel.displayName, channel);
  }
  return found;
}
