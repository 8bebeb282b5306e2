import { assertNever, type Decider, type Rejection, rejectField } from "../decider.ts";
import { builtInChannel } from "./built-in.ts";
import { isRegisteredChannelName, reservedChannelNames } from "./channel-name.ts";
import type { ChannelEvent, ChannelProfile } from "./events.ts";

/** Registers or changes a channel. */
export interface PutChannel {
  readonly profile: ChannelProfile;
}

export type ChannelState =
  | { readonly stage: "absent" }
  | { readonly stage: "registered"; readonly profile: ChannelProfile };

export type ChannelRejection = "CHANNEL_NAME_INVALID" | "CHANNEL_NAME_RESERVED";

function decide({ profile }: PutChannel, state: ChannelState): readonly ChannelEvent[] | Rejection<ChannelRejection> {
  const path = ["path", "name"];
  if (reservedChannelNames.has(profile.name)) return rejectField("CHANNEL_NAME_RESERVED", path);
  if (!isRegisteredChannelName(profile.name)) return rejectField("CHANNEL_NAME_INVALID", path);
  const current = profileIn(state, profile.name);
  if (current === null) return [{ type: "ChannelRegistered", data: profile }];
  return isSame(current, profile) ? [] : [{ type: "ChannelChanged", data: profile }];
}

function evolve(_state: ChannelState, event: ChannelEvent): ChannelState {
  switch (event.type) {
    case "ChannelRegistered":
    case "ChannelChanged":
      return { stage: "registered", profile: event.data };
    default:
      return assertNever(event);
  }
}

/** The profile of a channel; a built-in one has a profile without events. Null: not registered. */
export function profileIn(state: ChannelState, name: string): ChannelProfile | null {
  return state.stage === "registered" ? state.profile : builtInChannel(name);
}

function isSame(one: ChannelProfile, other: ChannelProfile): boolean {
  return (
    one.displayName === other.displayName &&
    one.type === other.type &&
    one.selfAttributing === other.selfAttributing &&
    one.costIntegrated === other.costIntegrated
  );
}

/** One channel (contract/administration.md#channels). Built-in channels count as registered without an event. */
export const channel: Decider<PutChannel, ChannelEvent, ChannelState, ChannelRejection> = {
  initialState: { stage: "absent" },
  decide,
  evolve,
};
