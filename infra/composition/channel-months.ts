import { inForce } from "../../projections/in-force.ts";
import type { ReadModel } from "../../projections/projection.ts";
import {
  type ChannelMonths,
  isSelfAttributing,
  isSmallMonth,
} from "../../projections/reports/masking/restricted-touchpoints.ts";
import { cachedChannelMonths } from "../../read-api/prediction/channel-month-cache.ts";

const now = inForce - 1n;

/** What masking depends on now (contract/reports.md#masking): each look-up is cached for a second. */
export function currentChannelMonths(facts: () => Promise<ReadModel>): ChannelMonths {
  return cachedChannelMonths({
    isSelfAttributing: async (channel) => isSelfAttributing(await facts(), { channel, position: now }),
    isSmallMonth: async (appId, channel, month) =>
      isSmallMonth(await facts(), { appId, channel, month, position: now }),
  });
}
