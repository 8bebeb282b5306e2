import { LRUCache } from "lru-cache";
import { channel, profileIn } from "../../domain/channels/channel.ts";
import { customChannel } from "../../domain/channels/channel-name.ts";
import type { ChannelProfile } from "../../domain/channels/events.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { channelStream, isInCategory } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";

/** Profiles of channels, in memory. */
export interface ChannelDirectory {
  /**
   * What a name stands for: a registered or built-in channel, else a custom one. Rejects with `EventLogUnavailable`
   * when the log must be read and cannot.
   */
  profileOf(name: string): Promise<ChannelProfile>;
  /** Takes what the tail brings; events of other streams are passed over. */
  apply(events: readonly RecordedEvent[]): void;
}

interface Entry {
  readonly profile: ChannelProfile;
  /** Of the last event read; -1 when the stream has none. */
  readonly revision: bigint;
}

/** Without a tail an entry is read again after so long. */
const freshMs = 30_000;
const mostChannels = 10_000;

/** Reads a channel's stream when its name is first asked for; the tail keeps it current from then on. */
export function createChannelDirectory(log: EventLog): ChannelDirectory {
  const entries = new LRUCache<string, Entry>({ max: mostChannels, ttl: freshMs });
  /** What the tail brought lately: a read that began before it must not undo it. */
  const applied = new LRUCache<string, Entry>({ max: mostChannels, ttl: freshMs });

  const read = async (name: string): Promise<Entry> => {
    let state = channel.initialState;
    let revision = -1n;
    for await (const recorded of log.read(channelStream(name))) {
      state = channel.evolve(state, recorded);
      revision = recorded.revision;
    }
    const brought = applied.get(name);
    if (brought !== undefined && brought.revision > revision) return brought;
    return { profile: profileIn(state, name) ?? customChannel(name), revision };
  };

  return {
    profileOf: async (name) => {
      const known = entries.get(name);
      if (known !== undefined) return known.profile;
      const entry = await read(name);
      entries.set(name, entry);
      return entry.profile;
    },
    apply: (events) => {
      for (const recorded of events) {
        if (!isInCategory(recorded, "channel")) continue;
        const { data: profile } = recorded;
        const entry = { profile, revision: recorded.revision };
        applied.set(profile.name, entry);
        const known = entries.get(profile.name);
        if (known !== undefined && known.revision < entry.revision) entries.set(profile.name, entry);
      }
    },
  };
}
