import type { RegisteredChannels } from "../../commands/channels/find-channel.ts";
import { storedChannels } from "../../projections/apps/queries.ts";
import type { ReadModel } from "../../projections/projection.ts";
import { channelsOfLinks } from "../../projections/tracking-links/queries.ts";

/** Registered channels by name, of all apps or of one app's links, as the live read models have them. */
export function registeredChannelsReader(
  live: (name: "apps" | "tracking_links") => Promise<ReadModel>,
): RegisteredChannels {
  return async (appId) => {
    const names = (await storedChannels(await live("apps"))).map(({ name }) => name);
    return appId === null ? names : channelsOfLinks(await live("tracking_links"), appId, names);
  };
}
