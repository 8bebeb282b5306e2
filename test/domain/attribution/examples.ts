import type { Candidate } from "../../../domain/attribution/candidates.ts";
import { decideAttribution } from "../../../domain/attribution/decide-attribution.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import type { AttributionRules, CandidateVerdict } from "../../../domain/attribution/events.ts";
import type { TargetEvent } from "../../../domain/attribution/target-event.ts";
import { phone } from "../../examples/app-events.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { springSale } from "../../examples/touchpoints.ts";

const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

export const install: TargetEvent = {
  appId: 1,
  eventId: exampleUuid("install", 1),
  category: "app_install",
  at: Date.parse("2026-03-31T10:00:00.000Z"),
  position: 1_000_000n,
  gaidKey: null,
  idfaKey: null,
  idfvKey: null,
  deviceKey: phone,
};

/** A click by the device's id, so many milliseconds before the install. */
export function aCandidate(number: number, msBefore: number, changes: Partial<Candidate> = {}): Candidate {
  return {
    touchpointId: exampleUuid("touchpoint", number),
    kind: "click",
    at: install.at - msBefore,
    position: BigInt(number),
    matchedBy: "device_id",
    human: true,
    source: springSale,
    gaidKey: null,
    idfaKey: null,
    idfvKey: null,
    deviceKey: null,
    ...changes,
  };
}

/** The verdicts on candidates, in their order; `undefined` for one that is not listed. */
export function verdictsOn(
  candidates: readonly Candidate[],
  target: TargetEvent = install,
  rules: AttributionRules = defaultRules,
): readonly (CandidateVerdict | undefined)[] {
  const { data } = decideAttribution(target, { listed: candidates, unlisted: 0 }, rules);
  const verdicts = new Map(data.candidates.map(({ touchpointId, verdict }) => [touchpointId, verdict]));
  return candidates.map(({ touchpointId }) => verdicts.get(touchpointId));
}
