import type { Candidate } from "./candidates.ts";
import type { AttributionRules, CandidateVerdict, LookbackWindows } from "./events.ts";
import type { Identifiers, TargetEvent } from "./target-event.ts";

/** Why a candidate cannot win, regardless of the other candidates. */
export type Ineligibility = Extract<
  CandidateVerdict,
  "bot" | "conflicting_ids" | "reengagement_only" | "acquisition_only" | "outside_lookback"
>;

/** A condition of winning: returns null when the candidate meets it, otherwise the reason why it cannot win. */
export type EligibilityPolicy = (
  candidate: Candidate,
  target: TargetEvent,
  rules: AttributionRules,
) => Ineligibility | null;

const madeByAPerson: EligibilityPolicy = (candidate) => (candidate.human ? null : "bot");

/**
 * A probabilistic match (contract/attribution.md#candidates) is invalid if both sides have the same kind of id with
 * different values.
 */
const withoutConflictingIds: EligibilityPolicy = (candidate, target) =>
  candidate.matchedBy === "probabilistic" && idsConflict(candidate, target) ? "conflicting_ids" : null;

/** A link for re-engagement wins no install (contract/attribution.md#winner). */
const notForReengagementOnly: EligibilityPolicy = (candidate, target) =>
  candidate.source.isReengagement === "ON-TRUE" && target.category === "app_install" ? "reengagement_only" : null;

/**
 * A link for acquisition wins installs only: no deeplink open and no deeplink pageview
 * (contract/attribution.md#winner).
 */
const notForAcquisitionOnly: EligibilityPolicy = (candidate, target) =>
  candidate.source.isReengagement === "ON-FALSE" && target.category !== "app_install" ? "acquisition_only" : null;

const withinLookback: EligibilityPolicy = (candidate, target, rules) =>
  target.at - candidate.at <= lookbackSeconds(candidate, rules) * 1000 ? null : "outside_lookback";

/**
 * The conditions of a winner (contract/attribution.md#candidates, contract/attribution.md#winner), in the order in which
 * they are checked: the first unmet one gives the reason.
 */
const eligibilityPolicies: readonly EligibilityPolicy[] = [
  madeByAPerson,
  withoutConflictingIds,
  notForReengagementOnly,
  notForAcquisitionOnly,
  withinLookback,
];

/** The first reason why a candidate cannot win; null when it can. */
export function ineligibilityOf(
  candidate: Candidate,
  target: TargetEvent,
  rules: AttributionRules,
): Ineligibility | null {
  for (const policy of eligibilityPolicies) {
    const reason = policy(candidate, target, rules);
    if (reason !== null) return reason;
  }
  return null;
}

/**
 * The lookback window of a candidate in seconds, both ends inclusive: its channel's own one if there is one
 * (contract/administration.md#attribution-rules). Matches by click id use the device window of clicks
 * (contract/attribution.md#candidates).
 */
export function lookbackSeconds(candidate: Candidate, rules: AttributionRules): number {
  const { channel } = candidate.source;
  const windows: LookbackWindows = (Object.hasOwn(rules.channels, channel) ? rules.channels[channel] : null) ?? rules;
  if (candidate.matchedBy === "click_id") return windows.click.device;
  return candidate.matchedBy === "device_id" ? windows[candidate.kind].device : windows[candidate.kind].probabilistic;
}

function idsConflict(one: Identifiers, other: Identifiers): boolean {
  return (
    differ(one.gaidKey, other.gaidKey) ||
    differ(one.idfaKey, other.idfaKey) ||
    differ(one.idfvKey, other.idfvKey) ||
    differ(one.deviceKey, other.deviceKey)
  );
}

function differ<Key>(one: Key | null, other: Key | null): boolean {
  return one !== null && other !== null && one !== other;
}
