import type { ChannelProfile } from "./events.ts";

/** Names with another meaning in reports; links and uploads must not use them (contract/administration.md#channels). */
export const reservedChannelNames: ReadonlySet<string> = new Set(["unattributed", "restricted", "organic"]);

const registered = /^[a-z0-9][a-z0-9._-]{0,255}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses control characters
const controlOrOuterSpace = /[\u0000-\u001f\u007f-\u009f]|^\s|\s$/u;
const longest = 256;

/**
 * Whether a name has the format of a registered channel's (contract/administration.md#channels); it may be reserved.
 */
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

/** The profile of an unregistered name: a custom channel. */
export function customChannel(name: string): ChannelProfile {
  return { name, displayName: name, type: "custom", selfAttributing: false, costIntegrated: false };
}
