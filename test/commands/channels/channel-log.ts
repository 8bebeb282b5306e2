import { customChannel } from "../../../domain/channels/channel-name.ts";
import type { ChannelProfile } from "../../../domain/channels/events.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { recordedAt } from "../../examples/recorded-log.ts";

export const billboards: ChannelProfile = {
  ...customChannel("billboards"),
  displayName: "Billboards",
  costIntegrated: true,
};
export const registered = {
  ...recordedAt(0n, { type: "ChannelRegistered", data: billboards }),
  stream: "channel-billboards",
};
/** A log with one registered channel. */
export const channelLog = {
  read: async function* (stream: string) {
    if (stream === registered.stream) yield registered;
  },
} as unknown as EventLog;
