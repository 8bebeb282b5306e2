// NOTE storage format
import type { DomainEvent } from "../event.ts";
import type { FeatureName, Features } from "./features.ts";

/** The two predictions, by the names that bundles and answers use (contract/prediction.md#response). */
export type ModelName = "d3_purchase" | "d3_churn";

/** One model of a bundle, as its manifest says (contract/prediction.md#bundles). */
export interface BundleModel {
  readonly file: string;
  /** Lower-case hex; also names the stream that holds the file's bytes. */
  readonly sha256: string;
  /** Names of the tensors. */
  readonly input: string;
  readonly output: string;
  /**
   * As sent: whether they are valid is looked at when a call is answered (contract/prediction.md#tiers,
   * contract/prediction.md#bundles).
   */
  readonly cutPoints: unknown;
}

/** How a feature was distributed over the training input: `counts[i]` installs up to `edges[i]`, the last one above. */
export interface FeatureDistribution {
  readonly edges: readonly number[];
  readonly counts: readonly number[];
}

/** What training says of itself; only in bundles that `touchledger train` wrote. */
export interface TrainingSummary {
  readonly installs: number;
  readonly features: { readonly [name: string]: FeatureDistribution };
}

/** Two models with the features that they take, in order. */
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
    /** SHA-256 of the manifest's bytes and both models' hashes: by it the same bundle is known when it comes again. */
    readonly contentHash: string;
  }
>;

/** The bundle answers from now on: for one app, or (null) for every app that has none of its own. */
export type BundleActivated = DomainEvent<
  "BundleActivated",
  { readonly bundleId: string; readonly appId: number | null }
>;

/** The bundle can never be activated again; calls that it has answered can still be replayed. */
export type BundleRetired = DomainEvent<"BundleRetired", { readonly bundleId: string }>;

export type ModelBundleEvent = BundleRegistered | BundleActivated | BundleRetired;

/** The kinds of identifier, as answers name them (contract/prediction.md#response). */
export type IdentifierKind = "service_generated_uuid" | "partner_device_id" | "service_external_user_id";

/** What a call named: never the identifier itself, only its keyed hash. */
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

/** A call of the context endpoint that was answered with 200 (contract/prediction.md#recorded-calls). */
export type ContextAnswered = DomainEvent<
  "ContextAnswered",
  ContextCall & {
    readonly identifier: CalledIdentifier;
    /** The device's UUID (contract/ingest.md#devices). */
    readonly userId: string;
    /** The app event that is the install. */
    readonly installId: string;
    readonly lastTouchpoint: LastTouchpoint | null;
    readonly bundleId: string;
    /** Every feature of the install, those that the bundle takes among them. */
    readonly features: Features;
    readonly predictions: { readonly [name in ModelName]: ScoredModel };
  }
>;

/** A call that was refused, with what was known by then (contract/prediction.md#recorded-calls). */
export type ContextRefused = DomainEvent<
  "ContextRefused",
  ContextCall & {
    /** The code of an error (contract/prediction.md#errors). */
    readonly code: string;
    readonly identifier: CalledIdentifier | null;
    readonly userId: string | null;
    readonly installId: string | null;
    readonly bundleId: string | null;
    /** Null when the call ended before they were known. */
    readonly features: Features | null;
  }
>;

export type ContextCallEvent = ContextAnswered | ContextRefused;
