import type { Principal } from "./principal.ts";

/** Channels that a caller may see, in order; null: all (contract/tokens.md#permissions). */
export function visibleChannels(principal: Principal): readonly string[] | null {
  if (principal.kind !== "token" || principal.role !== "media_partner") return null;
  return [...new Set(principal.channels)].sort();
}
