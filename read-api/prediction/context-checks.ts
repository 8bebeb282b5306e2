import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { ContextAnswered, LastTouchpoint, ModelBundle, ModelName } from "../../domain/prediction/events.ts";
import { type Features, vectorOf } from "../../domain/prediction/features.ts";
import type { Identifier } from "../../domain/prediction/identifier.ts";
import { tierOf, validCutPoints } from "../../domain/prediction/probability.ts";
import type { ContextError, ContextErrorCode } from "./context-errors.ts";

/** The install behind a response. */
export interface FoundInstall {
  /** The device's UUID (contract/ingest.md#devices). */
  readonly userId: string;
  readonly installId: string;
  /** As known at the install's log position. */
  readonly features: Features;
  /** Null while the install is not decided. */
  readonly lastTouchpoint: LastTouchpoint | null;
}

/** Result of looking up an identifier (contract/prediction.md#checks). */
export type FoundUser =
  /** No user has it. */
  | { readonly outcome: "unknown" }
  /** Two devices have sent the partner device id. */
  | { readonly outcome: "shared" }
  | { readonly outcome: "no_install"; readonly userId: string }
  /** The caller's last write, which may have it, is not in the facts yet. */
  | { readonly outcome: "behind" }
  | ({ readonly outcome: "found" } & FoundInstall);

export type Probabilities = { readonly [name in ModelName]: number };

export interface ContextSources {
  /** Whether the app's context calls are switched on (contract/administration.md#context-switch). */
  isActive(appId: number): Promise<boolean>;
  /** The active bundle of an app with loaded models; null for none. */
  servedBundle(appId: number): ModelBundle | null;
  findUser(app: RegisteredApp, identifier: Identifier): Promise<FoundUser>;
  /** Probabilities of both models of a bundle. */
  score(bundleId: string, vector: Float32Array): Promise<Probabilities>;
}

export type ContextResult = Pick<
  ContextAnswered["data"],
  "userId" | "installId" | "lastTouchpoint" | "bundleId" | "features" | "predictions"
>;

/** Known properties of a refused call. */
export type KnownOfRefused = {
  -readonly [key in "userId" | "installId" | "bundleId" | "features"]?: ContextResult[key];
};

export type ContextOutcome =
  | { readonly outcome: "answered"; readonly result: ContextResult }
  | ({ readonly outcome: "refused" } & ContextError);

/**
 * The context of the user of a valid call, or the first failed check (contract/prediction.md#checks). Rejects as its
 * dependencies do.
 * @param known is filled in step by step, for the record of a call that is refused or fails
 */
export async function contextOf(
  app: RegisteredApp,
  identifier: Identifier,
  sources: ContextSources,
  known: KnownOfRefused,
): Promise<ContextOutcome> {
  if (!(await sources.isActive(app.appId))) return refused("CONTEXT_INACTIVE");
  const bundle = sources.servedBundle(app.appId);
  if (bundle === null) return { outcome: "refused", ...noBundle };
  const { bundleId } = bundle;
  known.bundleId = bundleId;
  const cutPoints = cutPointsOf(bundle);
  if (cutPoints === null) return { outcome: "refused", ...noBundle };

  const found = await sources.findUser(app, identifier);
  if (found.outcome === "behind") return refused("CONTEXT_UNAVAILABLE");
  if (found.outcome === "unknown") return refused("CONTEXT_DATA_NOT_FOUND");
  if (found.outcome === "shared") return refused("IDENTIFIER_CONFLICT");
  const { userId } = found;
  known.userId = userId;
  if (found.outcome === "no_install") return refused("CONTEXT_DATA_NOT_FOUND");

  const { installId, features, lastTouchpoint } = found;
  Object.assign(known, { installId, features });
  const vector = modelInput(bundle, features);
  if (vector === null) return refused("CONTEXT_FEATURE_INVALID");
  const predictions = predicted(await sources.score(bundleId, vector), cutPoints);
  return { outcome: "answered", result: { userId, installId, lastTouchpoint, bundleId, features, predictions } };
}

const noBundle: ContextError = { code: "CONTEXT_UNAVAILABLE", text: "CONTEXT_UNAVAILABLE.bundle" };

function refused(code: ContextErrorCode): ContextOutcome {
  return { outcome: "refused", code };
}

/** The input of a bundle's models as float32; null if a feature is not finite as one (contract/prediction.md#checks). */
export function modelInput(
  { features: names }: Pick<ModelBundle, "features">,
  features: Features,
): Float32Array | null {
  const vector = Float32Array.from(vectorOf(features, names));
  return vector.every((value) => Number.isFinite(value)) ? vector : null;
}

type CutPoints = { readonly [name in ModelName]: readonly number[] };

/** The cut points of both models; null if either model's are invalid (contract/prediction.md#tiers). */
export function cutPointsOf({ models }: Pick<ModelBundle, "models">): CutPoints | null {
  const purchase = validCutPoints(models.d3_purchase.cutPoints);
  const churn = validCutPoints(models.d3_churn.cutPoints);
  return purchase === null || churn === null ? null : { d3_purchase: purchase, d3_churn: churn };
}

/** Each probability with its tier, by the unrounded value (contract/prediction.md#tiers). */
export function predicted(probabilities: Probabilities, cutPoints: CutPoints): ContextAnswered["data"]["predictions"] {
  const scored = (name: ModelName) => ({
    probability: probabilities[name],
    tier: tierOf(probabilities[name], cutPoints[name]),
  });
  return { d3_purchase: scored("d3_purchase"), d3_churn: scored("d3_churn") };
}
