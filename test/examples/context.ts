import type { LastTouchpoint, ModelBundle } from "../../domain/prediction/events.ts";
import { type Features, featureNames } from "../../domain/prediction/features.ts";
import type { FoundUser } from "../../read-api/prediction/context-checks.ts";
import { exampleUuid } from "./recorded-log.ts";

/** Features of an install after two clicks, distinguishable by their values. */
export const someFeatures: Features = {
  trackinglink_count: 2,
  click_count: 2,
  impression_count: 0,
  click_ratio: 1,
  unique_channel_count: 1,
  channel_entropy: 0,
  latency_s: 7_200,
  recency_s: 3_600.5,
  last1h_touch_count: 0,
  last24h_touch_count: 2,
  recent_24h_ratio: 1,
  touch_per_latency_hour: 1,
  is_single_touch: 0,
  is_attributed: 1,
  is_self_attributing: 0,
  is_reinstall: 0,
  install_hour_sin: Math.sin((2 * Math.PI * 18) / 24),
  install_hour_cos: Math.cos((2 * Math.PI * 18) / 24),
  install_weekday: 7,
  os_is_ios: 0,
  os_is_android: 1,
  install_value: 4.99,
};

export const springTouchpoint: LastTouchpoint = {
  channel: "partner",
  campaign: "spring",
  adGroup: "shoes",
  adCreative: null,
  term: null,
};

const model = (name: string) => ({
  file: `${name}.onnx`,
  sha256: "5e".repeat(32),
  input: "features",
  output: "probability",
  cutPoints: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
});

/** Two models that take every feature. */
export const everyFeatureBundle: ModelBundle = {
  bundleId: "spring",
  trainedAt: "2026-03-01T00:00:00.000Z",
  features: featureNames,
  models: { d3_purchase: model("purchase"), d3_churn: model("churn") },
  training: null,
};

export const anInstallOf = {
  userId: "6f9b2d7c-1c7e-8a11-9d60-3f2b7c4a1e55",
  installId: exampleUuid("event", 1),
} as const;

/** The user of that install, with its features and winner. */
export const foundUser = {
  outcome: "found",
  ...anInstallOf,
  features: someFeatures,
  lastTouchpoint: springTouchpoint,
} as const satisfies FoundUser;
