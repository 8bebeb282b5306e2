import type { OperatingSystem, TouchpointKind } from "../touchpoints/events.ts";
import { dayMs, hourMs } from "../values/instants.ts";

/** Names of the features (contract/prediction.md#features). */
export const featureNames = [
  "trackinglink_count",
  "click_count",
  "impression_count",
  "click_ratio",
  "unique_channel_count",
  "channel_entropy",
  "latency_s",
  "recency_s",
  "last1h_touch_count",
  "last24h_touch_count",
  "recent_24h_ratio",
  "touch_per_latency_hour",
  "is_single_touch",
  "is_attributed",
  "is_self_attributing",
  "is_reinstall",
  "install_hour_sin",
  "install_hour_cos",
  "install_weekday",
  "os_is_ios",
  "os_is_android",
  "install_value",
] as const;

export type FeatureName = (typeof featureNames)[number];

/** Values of all features, as doubles. */
export type Features = { readonly [name in FeatureName]: number };

/** The fields of a touchpoint that features depend on. */
export interface FeatureTouchpoint {
  readonly kind: TouchpointKind;
  /** Epoch milliseconds, at or before the install. */
  readonly at: number;
  readonly channel: string;
}

/** An install as known at its own log position. */
export interface KnownInstall {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Hour of the day in the app's time zone, 0 to 23. */
  readonly localHour: number;
  /** In the app's time zone: 1 is Monday, 7 Sunday. */
  readonly localWeekday: number;
  readonly os: OperatingSystem | null;
  /** The install event's `value`; 0 without one. */
  readonly value: number;
  readonly isReinstall: boolean;
  readonly isAttributed: boolean;
  /** Whether the winner's channel is a self-attributing network. */
  readonly isSelfAttributing: boolean;
}

const second = 1_000;
/** Age up to which touchpoints count, inclusive (contract/prediction.md#features). */
const featureWindowMs = 30 * dayMs;

/**
 * The features of an install (contract/prediction.md#features); 0 where there is no input. Serving, replay and training
 * all call this function: the same input gives the same doubles. The order of `touchpoints` does not matter; those
 * outside the 30 days before the install are ignored.
 */
export function featuresOf(install: KnownInstall, touchpoints: readonly FeatureTouchpoint[]): Features {
  const ages = new Float64Array(touchpoints.length);
  const byChannel = new Map<string, number>();
  let total = 0;
  let clicks = 0;
  let lastHour = 0;
  let lastDay = 0;
  for (const { kind, at, channel } of touchpoints) {
    const age = install.at - at;
    if (age < 0 || age > featureWindowMs) continue;
    ages[total] = age;
    total += 1;
    if (kind === "click") clicks += 1;
    if (age <= hourMs) lastHour += 1;
    if (age <= dayMs) lastDay += 1;
    byChannel.set(channel, (byChannel.get(channel) ?? 0) + 1);
  }
  const known = ages.subarray(0, total);
  const latency = total === 0 ? 0 : known.reduce((oldest, age) => Math.max(oldest, age), 0) / second;
  const recency = total === 0 ? 0 : known.reduce((newest, age) => Math.min(newest, age), featureWindowMs) / second;
  const angle = (2 * Math.PI * install.localHour) / 24;
  return {
    trackinglink_count: total,
    click_count: clicks,
    impression_count: total - clicks,
    click_ratio: clicks / Math.max(total, 1),
    unique_channel_count: byChannel.size,
    channel_entropy: entropy([...byChannel.values()], total),
    latency_s: latency,
    recency_s: recency,
    last1h_touch_count: lastHour,
    last24h_touch_count: lastDay,
    recent_24h_ratio: lastDay / Math.max(total, 1),
    touch_per_latency_hour: total / Math.max((latency * second) / hourMs, 1),
    is_single_touch: flag(total === 1),
    is_attributed: flag(install.isAttributed),
    is_self_attributing: flag(install.isSelfAttributing),
    is_reinstall: flag(install.isReinstall),
    install_hour_sin: Math.sin(angle),
    install_hour_cos: Math.cos(angle),
    install_weekday: install.localWeekday,
    os_is_ios: flag(install.os === "iOS"),
    os_is_android: flag(install.os === "Android"),
    install_value: install.value,
  };
}

/** Shannon entropy in nats. Sums in a fixed order, so that the order of touchpoints does not affect the last bit. */
function entropy(counts: readonly number[], total: number): number {
  let sum = 0;
  for (const count of [...counts].sort((one, other) => one - other)) {
    const share = count / total;
    sum -= share * Math.log(share);
  }
  return sum === 0 ? 0 : sum;
}

function flag(value: boolean): number {
  return value ? 1 : 0;
}

/** The feature values in the order of a model's input. */
export function vectorOf(features: Features, names: readonly FeatureName[]): readonly number[] {
  return names.map((name) => features[name]);
}

/** Whether a text names a feature. */
export function isFeatureName(text: string): text is FeatureName {
  return (featureNames as readonly string[]).includes(text);
}
