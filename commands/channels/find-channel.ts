import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { ChannelLookUp } from "../../domain/channels/built-in.ts";
import { channel, profileIn } from "../../domain/channels/channel.ts";
import { isRegisteredChannelName } from "../../domain/channels/channel-name.ts";
import { channelStream } from "../../domain/streams.ts";
import { mayDo } from "../../domain/tokens/permissions.ts";
import type { Principal } from "../../domain/tokens/principal.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { within } from "../../infra/process/time-limit.ts";
import { readState } from "../state-cache.ts";

/** The caller that names a channel, and the app that it is for; null: for none. */
interface Caller {
  readonly principal: Principal;
  readonly app: Pick<RegisteredApp, "appId"> | null;
}

/** Looks up a channel that a caller names. Rejects with `EventLogUnavailable`. */
export type FindChannel = (name: string, caller: Caller) => Promise<ChannelLookUp>;

/** Names of registered channels: all (null), or those that links of an app have. */
export type RegisteredChannels = (appId: number | null) => Promise<readonly string[]>;

const suggestionTimeoutMs = 1_000;

/**
 * Looks up channels, with suggestions for an unknown one: all registered channels for callers that may list them, for
 * others those that links of the app have (contract/http.md#unknown-fields).
 */
export function channelFinder(log: Pick<EventLog, "read">, registeredChannels: RegisteredChannels): FindChannel {
  return async (name, { principal, app }) => {
    if (await isKnownChannel(log, name)) return { isChannelKnown: true, visibleChannels: [] };
    const appId = mayDo(principal, "operate") ? null : (app?.appId ?? 0);
    // An unknown channel is refused even if the read model is unavailable.
    const visible = within(suggestionTimeoutMs, registeredChannels(appId)).catch(() => []);
    return { isChannelKnown: false, visibleChannels: await visible };
  };
}

/**
 * Whether a channel is registered or built in (contract/administration.md#channels), read from the log. Rejects with
 * `EventLogUnavailable`.
 */
async function isKnownChannel(log: Pick<EventLog, "read">, name: string): Promise<boolean> {
  if (!isRegisteredChannelName(name)) return false;
  return profileIn((await readState(log, channel, channelStream(name))).state, name) !== null;
}
