import type { TouchpointKind } from "../touchpoints/events.ts";
import type { MatchType } from "./events.ts";
import type { Identifiers } from "./target-event.ts";

/** The identifiers, besides a click id, by which touchpoints and target events match; null: missing. */
interface Matchable extends Identifiers {
  readonly ipKey: bigint | null;
  readonly os: string | null;
  readonly osVersion: string | null;
}

interface MatchableTouchpoint extends Matchable {
  readonly touchpointId: string;
  readonly kind: TouchpointKind;
}

interface MatchableTarget extends Matchable {
  readonly clickId: string | null;
}

/**
 * The strongest match type of a touchpoint and a target event of its app (contract/attribution.md#candidates); null: no
 * match.
 */
export function matchTypeOf(touchpoint: MatchableTouchpoint, target: MatchableTarget): MatchType | null {
  if (touchpoint.kind === "click" && touchpoint.touchpointId === target.clickId) return "click_id";
  const ids = ["deviceKey", "gaidKey", "idfaKey", "idfvKey"] as const;
  if (ids.some((id) => isShared(touchpoint[id], target[id]))) return "device_id";
  const isLikely = isShared(touchpoint.ipKey, target.ipKey) && isShared(touchpoint.os, target.os);
  const { osVersion } = touchpoint;
  const isOtherVersion = osVersion !== null && target.osVersion !== null && osVersion !== target.osVersion;
  return isLikely && !isOtherVersion ? "probabilistic" : null;
}

function isShared<Value>(one: Value | null, other: Value | null): boolean {
  return one !== null && one === other;
}
