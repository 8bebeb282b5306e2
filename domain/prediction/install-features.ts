import type { Candidate, Candidates } from "../attribution/candidate.ts";
import { decideAttribution } from "../attribution/decide-attribution.ts";
import type { AttributionRules } from "../attribution/events.ts";
import type { TargetEvent } from "../attribution/target-event.ts";
import { ineligibilityOf } from "../attribution/windows.ts";
import type { OperatingSystem } from "../touchpoints/events.ts";
import { type LocalTime, weekdayOf } from "../values/local-time.ts";
import { type Features, featuresOf } from "./features.ts";

/** So many touchpoints of an install count, the newest: a flood behind one address has no bound of its own. */
export const maxFeatureTouchpoints = 1_000;

/** An install and what was known of it at its log position. */
export interface InstallContext {
  readonly target: TargetEvent;
  readonly local: LocalTime;
  readonly os: OperatingSystem | null;
  /** Decimal text; null when the event had none. */
  readonly value: string | null;
  /** Whether an earlier install of the device, by event time, was in the log already. */
  readonly isReinstall: boolean;
  /** The touchpoints at or below the install's position that match it. */
  readonly candidates: Candidates;
  /** In force at the install's position. */
  readonly rules: AttributionRules;
  /** What the channel was at the install's position. */
  readonly isSelfAttributing: (channel: string) => boolean;
}

/**
 * The features of an install as known at its own log position (contract/prediction.md#features): what comes into the
 * log later, a late touchpoint that revises the attribution included, never changes them.
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
 * The human touchpoints that are candidates (contract/attribution.md#candidates), whatever their lookback windows say;
 * each once, the newest first.
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
