import { channel, profileIn } from "../../domain/channels/channel.ts";
import { customChannel } from "../../domain/channels/channel-name.ts";
import type { ChannelProfile } from "../../domain/channels/events.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { createStateCache, type StateCache } from "../state-cache.ts";

/** Profiles of channels, in memory. */
export interface ChannelDirectory extends Pick<StateCache<unknown>, "apply"> {
  /**
   * The profile of a registered or built-in channel, else that of a custom one. Rejects with `EventLogUnavailable` if
   * the log must be read and cannot.
   */
  profileOf(name: string): Promise<ChannelProfile>;
}

const maxChannels = 10_000;
/** Bounds the age of profiles in a process without a tail. */
const ttlMs = 30_000;

export function createChannelDirectory(log: Pick<EventLog, "read">): ChannelDirectory {
  const channels = createStateCache(log, "channel", channel, { max: maxChannels, ttlMs });
  return {
    profileOf: async (name) => profileIn(await channels.get(name), name) ?? customChannel(name),
    apply: channels.apply,
  };
}
