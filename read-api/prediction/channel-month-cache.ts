import { LRUCache } from "lru-cache";
import type { ChannelMonths } from "../../projections/reports/masking/restricted-touchpoints.ts";

const maxChannels = 1_000;
const maxMonths = 5_000;
const ttlMs = 1_000;

interface Month {
  readonly appId: number;
  readonly channel: string;
  readonly month: string;
}

/** Queries that wait for a result get it, even when its entry has been evicted meanwhile. */
const whileFetching = { ttl: ttlMs, ignoreFetchAbort: true } as const;

/**
 * The same queries, each result cached for a second; concurrent queries for the same key share one look-up. A failed
 * look-up rejects for all that wait for it and is not cached.
 */
export function cachedChannelMonths(channelMonths: ChannelMonths): ChannelMonths {
  const selfAttributing = new LRUCache<string, boolean>({
    ...whileFetching,
    max: maxChannels,
    fetchMethod: (channel) => channelMonths.isSelfAttributing(channel),
  });
  const small = new LRUCache<string, boolean, Month>({
    ...whileFetching,
    max: maxMonths,
    fetchMethod: (_key, _stale, { context: { appId, channel, month } }) =>
      channelMonths.isSmallMonth(appId, channel, month),
  });
  return {
    isSelfAttributing: (channel) => selfAttributing.forceFetch(channel),
    isSmallMonth: (appId, channel, month) =>
      small.forceFetch(`${appId} ${month} ${channel}`, { context: { appId, channel, month } }),
  };
}
