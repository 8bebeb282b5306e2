// NOTE storage format
import type { DomainEvent } from "../event.ts";
import type { FeatureName, Features } from "./features.ts";

/** The two predictions (contract/prediction.md#response). */
export type ModelName = "d3_purchase" | "d3_churn";

/** One model of a bundle, as in its manifest (contract/prediction.md#bundles). */
export interface BundleModel {
  readonly file: string;
  /** Lower-case hex; also the id of the stream of the file's bytes. */
  readonly sha256: string;
  /** Names of the tensors. */
  readonly input: string;
  readonly output: string;
  /** As sent; validated by each context call (contract/prediction.md#tiers, contract/prediction.md#bundles). */
  readonly cutPoints: unknown;
}

/** Histogram of a feature in the training input: `counts[i]` installs up to `edges[i]`; the last count is the rest. */
export interface FeatureDistribution {
  readonly edges: readonly number[];
  readonly counts: readonly number[];
}

/** Summary of the training input; only in bundles that `touchledger train` wrote. */
export interface TrainingSummary {
  readonly installs: number;
  readonly features: { readonly [name: string]: FeatureDistribution };
}

/** Two models with their input features, in order. */
export interface ModelBundle {
  readonly bundleId: string;
  /** ISO 8601. */
  readonly trainedAt: string;
  readonly features: readonly FeatureName[];
  readonly models: { readonly [name in ModelName]: BundleModel };
  readonly training: TrainingSummary | null;
}

export type BundleRegistered = DomainEvent<
  "BundleRegistered",
  ModelBundle & {
    /** SHA-256 of the manifest's bytes and both models' hashes: identifies a repeated bundle. */
    readonly contentHash: string;
  }
>;

/** The bundle serves one app from now on, or (null) every app without a bundle of its own. */
export type BundleActivated = DomainEvent<
  "BundleActivated",
  { readonly bundleId: string; readonly appId: number | null }
>;

/** The bundle can never be activated again; its calls can still be replayed. */
export type BundleRetired = DomainEvent<"BundleRetired", { readonly bundleId: string }>;

export type ModelBundleEvent = BundleRegistered | BundleActivated | BundleRetired;

/** Kinds of identifier (contract/prediction.md#response). */
export type IdentifierKind = "service_generated_uuid" | "partner_device_id" | "service_external_user_id";

/** The identifier of a call, only as a keyed hash. */
export interface CalledIdentifier {
  readonly kind: IdentifierKind;
  /** HMAC-SHA256 with the app's salt, hex. */
  readonly hash: string;
}

export interface LastTouchpoint {
  readonly channel: string | null;
  readonly campaign: string | null;
  readonly adGroup: string | null;
  readonly adCreative: string | null;
  readonly term: string | null;
}

export type Tier = "low" | "medium" | "high";

export interface ScoredModel {
  /** The model's float32, not rounded. */
  readonly probability: number;
  readonly tier: Tier;
}

interface ContextCall {
  readonly requestId: string;
  readonly appId: number;
  readonly tokenId: string;
}

/** A successful context call (contract/prediction.md#recorded-calls). */
export type ContextAnswered = DomainEvent<
  "ContextAnswered",
  ContextCall & {
    readonly identifier: CalledIdentifier;
    /** The device's UUID (contract/ingest.md#devices). */
    readonly userId: string;
    /** Id of the install's app event. */
    readonly installId: string;
    readonly lastTouchpoint: LastTouchpoint | null;
    readonly bundleId: string;
    /** Every feature of the install, including those that the bundle does not use. */
    readonly features: Features;
    readonly predictions: { readonly [name in ModelName]: ScoredModel };
  }
>;

/** A refused or failed context call, with what was known by then (contract/prediction.md#recorded-calls). */
export type ContextRefused = DomainEvent<
  "ContextRefused",
  ContextCall & {
    /** The code of an error (contract/prediction.md#errors). */
    readonly code: string;
    readonly identifier: CalledIdentifier | null;
    readonly userId: string | null;
    readonly installId: string | null;
    readonly bundleId: string | null;
    /** Null if the call ended before they were computed. */
    readonly features: Features | null;
  }
>;

export type ContextCallEvent = ContextAnswered | ContextRefused;
