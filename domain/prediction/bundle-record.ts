import type { BundleModel, BundleRegistered, ModelName } from "./events.ts";
import type { FeatureName } from "./features.ts";
import type { Activations } from "./model-bundles.ts";

/** A bundle with its activations. */
export interface BundleWithStatus extends Activations {
  readonly bundle: BundleRegistered["data"];
  /** ISO 8601 in UTC. */
  readonly registeredAt: string;
  readonly isRetired: boolean;
}

/** A bundle in API responses (contract/administration.md#model-bundles, contract/prediction.md#bundles). */
export interface BundleRecord {
  readonly bundleId: string;
  readonly trainedAt: string;
  readonly registeredAt: string;
  readonly features: readonly FeatureName[];
  readonly models: { readonly [name in ModelName]: BundleModel };
  /** `default`: serves all apps without a bundle of their own. */
  readonly active: { readonly default: boolean; readonly apps: readonly string[] };
  readonly retired: boolean;
}

/** `appNames`: names of the bundle's `appIds`. */
export function bundleRecord(listed: BundleWithStatus, appNames: readonly string[]): BundleRecord {
  const { bundleId, trainedAt, features, models } = listed.bundle;
  return {
    bundleId,
    trainedAt,
    registeredAt: listed.registeredAt,
    features,
    models,
    active: { default: listed.isDefault, apps: [...appNames].sort() },
    retired: listed.isRetired,
  };
}
