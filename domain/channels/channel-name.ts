import { builtInChannel } from "./built-in.ts";
import type { ChannelProfile, ChannelType } from "./events.ts";

/**
 * Names that reports use for something else; refused as `channel` in links and uploads
 * (contract/administration.md#channels).
 */
export const reservedChannelNames: ReadonlySet<string> = new Set(["unattributed", "restricted", "organic"]);

const registered = /^[a-z0-9][a-z0-9._-]{0,255}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const controlOrOuterSpace = /[\u0000-\u001f\u007f-\u009f]|^\s|\s$/u;
const longest = 256;

/** Whether a channel can be registered under a name (contract/administration.md#channels), reserved names aside. */
export function isRegisteredChannelName(name: string): boolean {
  return registered.test(name);
}

/**
 * Whether a name can be a link's or an upload's channel: a registered or a custom name, not a reserved one
 * (contract/administration.md#channels).
 */
export function isChannelName(name: string): boolean {
  const length = [...name].length;
  return length >= 1 && length <= longest && !controlOrOuterSpace.test(name) && !reservedChannelNames.has(name);
}

/** What an unregistered name stands for: a custom channel that shows its name. */
export function customChannel(name: string): ChannelProfile {
  return { name, displayName: name, type: "custom", selfAttributing: false, costIntegrated: false };
}

/** Type of a channel by its name and, where it is registered, its profile. */
export function channelTypeOf(name: string, registered: ChannelProfile | null): ChannelType {
  return (registered ?? builtInChannel(name))?.type ?? "custom";
}
