import type { Candidate, Candidates } from "../attribution/candidates.ts";
import { decideAttribution } from "../attribution/decide-attribution.ts";
import { ineligibilityOf } from "../attribution/eligibility.ts";
import type { AttributionRules } from "../attribution/events.ts";
import type { TargetEvent } from "../attribution/target-event.ts";
import type { OperatingSystem } from "../touchpoints/events.ts";
import { type LocalTime, weekdayOf } from "../values/local-time.ts";
import { type Features, featuresOf } from "./features.ts";

/** Only the newest touchpoints of an install count: traffic from one IP address is unbounded. */
const maxFeatureTouchpoints = 1_000;

/** An install and the facts at its log position. */
export interface InstallContext {
  readonly target: TargetEvent;
  readonly local: LocalTime;
  readonly os: OperatingSystem | null;
  /** Decimal text; null without a value. */
  readonly value: string | null;
  /** Whether the log already had an install of the device with an earlier event time. */
  readonly isReinstall: boolean;
  /** The touchpoints at or below the install's position that match it. */
  readonly candidates: Candidates;
  /** In force at the install's position. */
  readonly rules: AttributionRules;
  /** By the channel's profile at the install's position. */
  readonly isSelfAttributing: (channel: string) => boolean;
}

/**
 * The features of an install as known at its own log position (contract/prediction.md#features): later events, even a
 * late touchpoint that revises the attribution, never change them.
 */
export function installFeatures(install: InstallContext): Features {
  const { target, local, candidates, rules, isSelfAttributing } = install;
  const { winner } = decideAttribution(target, candidates, rules).data;
  return featuresOf(
    {
      at: target.at,
      localHour: local.hour,
      localWeekday: weekdayOf(local.date),
      os: install.os,
      value: install.value === null ? 0 : Number(install.value),
      isReinstall: install.isReinstall,
      isAttributed: winner !== null,
      isSelfAttributing: winner !== null && isSelfAttributing(winner.source.channel),
    },
    matchedTouchpoints(target, candidates.listed, rules).map(({ kind, at, source }) => ({
      kind,
      at,
      channel: source.channel,
    })),
  );
}

/**
 * The human candidates (contract/attribution.md#candidates), within their lookback windows or not; each once, the
 * newest first.
 */
function matchedTouchpoints(
  target: TargetEvent,
  listed: readonly Candidate[],
  rules: AttributionRules,
): readonly Candidate[] {
  const matched = new Map<string, Candidate>();
  for (const candidate of listed) {
    const reason = ineligibilityOf(candidate, target, rules);
    if (reason !== "bot" && reason !== "conflicting_ids") matched.set(candidate.touchpointId, candidate);
  }
  return [...matched.values()].sort(newestFirst).slice(0, maxFeatureTouchpoints);
}

function newestFirst(one: Candidate, other: Candidate): number {
  if (one.at !== other.at) return other.at - one.at;
  return one.position < other.position ? 1 : -1;
}
