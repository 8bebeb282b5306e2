import { channel, profileIn } from "../../domain/channels/channel.ts";
import { isRegisteredChannelName } from "../../domain/channels/channel-name.ts";
import { channelStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";

/**
 * Whether a channel is registered or built in (contract/administration.md#channels). Rejects with `EventLogUnavailable`
 * when the log cannot be read.
 */
export async function isKnownChannel(log: Pick<EventLog, "read">, name: string): Promise<boolean> {
  if (!isRegisteredChannelName(name)) return false;
  let state = channel.initialState;
  for await (const recorded of log.read(channelStream(name))) state = channel.evolve(state, recorded);
  return profileIn(state, name) !== null;
}
