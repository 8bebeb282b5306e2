import type { Rejection } from "../decider.ts";
import { type Fault, fault, type Path } from "../fault.ts";
import { nearestName } from "../values/nearest-name.ts";
import type { ChannelProfile } from "./events.ts";

interface Flags {
  readonly selfAttributing?: true;
  readonly costIntegrated?: true;
}

const integrated = (name: string, displayName: string, flags: Flags): ChannelProfile => ({
  name,
  displayName,
  type: "integrated",
  selfAttributing: flags.selfAttributing ?? false,
  costIntegrated: flags.costIntegrated ?? false,
});

/** Channels of every installation (contract/administration.md#channels). */
export const builtInChannels: readonly ChannelProfile[] = [
  integrated("google.adwords", "Google Ads", { selfAttributing: true, costIntegrated: true }),
  integrated("facebook.business", "Meta Ads", { selfAttributing: true, costIntegrated: true }),
  integrated("tiktok", "TikTok For Business", { selfAttributing: true, costIntegrated: true }),
  integrated("apple.searchads", "Apple Search Ads", { selfAttributing: true, costIntegrated: true }),
  integrated("twitter", "X Ads", { selfAttributing: true }),
  integrated("snapchat", "Snapchat", { selfAttributing: true }),
  integrated("ironsource", "ironSource", { costIntegrated: true }),
  integrated("appier", "Appier", { costIntegrated: true }),
  integrated("remerge", "Remerge", { costIntegrated: true }),
  integrated("aarki", "Aarki", { costIntegrated: true }),
  integrated("naver.searchad", "Naver Search Ads", {}),
  integrated("kakao", "Kakao Moment", {}),
];

const byName: ReadonlyMap<string, ChannelProfile> = new Map(builtInChannels.map((channel) => [channel.name, channel]));

/** The profile of a built-in channel before any change; null for every other name. */
export function builtInChannel(name: string): ChannelProfile | null {
  return byName.get(name) ?? null;
}

/** The result of looking up a channel that a command names. */
export interface ChannelLookUp {
  /** Whether the channel is registered or built in. */
  readonly isChannelKnown: boolean;
  /** Registered channels that the caller may see, as suggestions for an unknown name. */
  readonly visibleChannels: readonly string[];
}

/**
 * The rejection of a channel that is neither registered nor built in. It suggests a similar name among the built-in
 * channels and `visible`, the registered ones that the caller may see.
 */
export function unknownChannel(path: Path, name: string, visible: readonly string[]): Rejection<"CHANNEL_NOT_FOUND"> {
  const nearest = nearestName(name, [...byName.keys(), ...visible]);
  const found: Fault =
    nearest === null ? fault("channel_not_found", path) : fault("channel_not_found.nearest", path, { nearest });
  return { rejected: "CHANNEL_NOT_FOUND", faults: [found] };
}
