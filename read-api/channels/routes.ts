import { builtInChannels } from "../../domain/channels/built-in.ts";
import type { ChannelProfile } from "../../domain/channels/events.ts";
import { ok, type Route, route } from "../../infra/http/routing/route.ts";
import { listChannelsDocs } from "./docs.ts";

export interface ChannelQueries {
  storedChannels(): Promise<readonly ChannelProfile[]>;
}

/** Lists built-in and registered channels by name (contract/administration.md#channels). */
export function channelRoutes({ storedChannels }: ChannelQueries): readonly Route[] {
  return [
    route({
      method: "get",
      path: "/admin/v1/channels",
      docs: listChannelsDocs,
      operation: "operate",
      reads: "control",
      handle: async () => {
        const byName = new Map(
          [...builtInChannels, ...(await storedChannels())].map((channel) => [channel.name, channel]),
        );
        const channels = [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
        return ok({ data: { channels } });
      },
    }),
  ];
}
