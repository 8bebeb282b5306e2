import type { Candidate } from "../../domain/attribution/candidate.ts";
import type { MatchType } from "../../domain/attribution/events.ts";
import type { OpenTarget } from "./stored-targets.ts";

/** A touchpoint with all that it can be matched by. */
export interface RecentTouchpoint extends Omit<Candidate, "matchedBy"> {
  readonly appId: number;
  readonly ipKey: bigint | null;
  readonly os: string | null;
  readonly osVersion: string | null;
}

/** The strongest way in which a touchpoint matches a target event of its app (D6.2), as `matches.ts` has it; null: none. */
export function matchTypeOf(touchpoint: RecentTouchpoint, target: OpenTarget): MatchType | null {
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
