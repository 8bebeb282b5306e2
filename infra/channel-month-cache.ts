import { LRUCache } from "lru-cache";

const maxChannels = 10_000;
const maxMonths = 50_000;
const keptMs = 1_000;

/** What D7.7 goes by, as a read model answers it now. */
export interface ChannelMonths {
  isSelfAttributing(channel: string): Promise<boolean>;
  /** @param month `YYYY-MM` of the app's time zone */
  isSmallMonth(appId: number, channel: string, month: string): Promise<boolean>;
}

interface Month {
  readonly appId: number;
  readonly channel: string;
  readonly month: string;
}

/**
 * The same answers, each kept for a second: whoever asks while an answer is on its way waits for that one. A failure is
 * everybody's who waits, and is not kept.
 */
export function keptChannelMonths(answers: ChannelMonths): ChannelMonths {
  const flags = new LRUCache<string, { readonly isSo: boolean }>({
    max: maxChannels,
    ttl: keptMs,
    // Whoever waits for an answer gets it, also when it is not kept any more.
    ignoreFetchAbort: true,
    fetchMethod: async (channel) => ({ isSo: await answers.isSelfAttributing(channel) }),
  });
  const months = new LRUCache<string, { readonly isSo: boolean }, Month>({
    max: maxMonths,
    ttl: keptMs,
    // Whoever waits for an answer gets it, also when it is not kept any more.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: { appId, channel, month } }) => ({
      isSo: await answers.isSmallMonth(appId, channel, month),
    }),
  });
  return {
    isSelfAttributing: async (channel) => (await flags.forceFetch(channel)).isSo,
    isSmallMonth: async (appId, channel, month) =>
      (await months.forceFetch(`${appId} ${month} ${channel}`, { context: { appId, channel, month } })).isSo,
  };
}
