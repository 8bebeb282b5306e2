import type { ModelName } from "../../domain/prediction/events.ts";
import type { FeatureName } from "../../domain/prediction/features.ts";
import { validCutPoints } from "../../domain/prediction/probability.ts";
import type { EventLog } from "../event-log/event-log.ts";
import { columnOf, countsBetween, stabilityIndex } from "./drift.ts";
import { type Quality, qualityOf } from "./quality.ts";
import { findApp, readInstalls } from "./read-installs.ts";
import { scoreRows } from "./score-rows.ts";
import { type LoadedBundle, readActiveBundle, readBundleDirectory } from "./stored-bundle.ts";
import { TrainingImpossible } from "./training-impossible.ts";
import { columnNames, type TrainingInput, trainingAgeMs, trainingInput } from "./training-input.ts";

interface CheckRequest {
  readonly log: Pick<EventLog, "read" | "readAll" | "headPosition">;
  /** The app's name. */
  readonly app: string;
  /** A bundle's directory; null: the bundle that is active for the app. */
  readonly directory: string | null;
  /** Epoch milliseconds. */
  readonly now: number;
  progress?(step: "reading the log" | "scoring", share: number): void;
}

/** The population stability index of a feature against training; null when one side has no installs. */
interface FeatureDrift {
  readonly feature: FeatureName;
  readonly index: number | null;
}

/** The quality of a bundle's predictions for the installs that are old enough now. */
export interface BundleCheck {
  readonly app: string;
  readonly bundleId: string;
  readonly trainedAt: string;
  readonly installs: number;
  /** Installs that training cannot have used: later than 10 days before `trainedAt`. */
  readonly unseen: number;
  /** Old enough, but with features beyond float32. */
  readonly outOfRange: number;
  readonly models: { readonly [name in ModelName]: Quality };
  /** Null when the manifest does not contain the distribution of the features. */
  readonly drift: readonly FeatureDrift[] | null;
}

/**
 * Scores the installs of an app that are older than 10 days and compares the predictions with what happened.
 * @throws {TrainingImpossible} when the app, the bundle or such installs are missing, or the cut points are invalid
 */
export async function checkBundle(request: CheckRequest): Promise<BundleCheck> {
  const { log, now, directory, progress = () => {} } = request;
  const app = await findApp(log, request.app);
  const bundle = directory === null ? await readActiveBundle(log, app) : await readBundleDirectory(directory);
  const { manifest } = bundle;
  const purchasePoints = cutPointsIn(bundle, "d3_purchase");
  const churnPoints = cutPointsIn(bundle, "d3_churn");
  const input = trainingInput(await readInstalls(log, app, (share) => progress("reading the log", share)), now, 0);
  if (input.count === 0) throw new TrainingImpossible(`${app.name} has no installs older than 10 days.`);

  const rows = rowsFor(manifest.features, input);
  const scores = await scoreRows(manifest, bundle.modelFiles, rows, (share) => progress("scoring", share)).catch(
    (failure: unknown) => {
      const reason = failure instanceof Error ? failure.message : String(failure);
      throw new TrainingImpossible(`Bundle ${manifest.bundleId} cannot be run: ${reason}`);
    },
  );
  const seenUntil = Date.parse(manifest.trainedAt) - trainingAgeMs;
  return {
    app: app.name,
    bundleId: manifest.bundleId,
    trainedAt: manifest.trainedAt,
    installs: input.count,
    unseen: input.at.filter((at) => at >= seenUntil).length,
    outOfRange: input.outOfRange,
    models: {
      d3_purchase: qualityOf(scores.d3_purchase, input.purchased, purchasePoints),
      d3_churn: qualityOf(scores.d3_churn, input.churned, churnPoints),
    },
    drift: driftOf(bundle, input),
  };
}

function cutPointsIn({ manifest }: LoadedBundle, name: ModelName): readonly number[] {
  const cutPoints = validCutPoints(manifest.models[name].cutPoints);
  if (cutPoints !== null) return cutPoints;
  throw new TrainingImpossible(`Bundle ${manifest.bundleId} has no valid cut points for ${name}: it has no tiers.`);
}

function rowsFor(features: readonly FeatureName[], { rows, count }: TrainingInput): Float32Array {
  const places = features.map((feature) => columnNames.indexOf(feature));
  const chosen = new Float32Array(count * places.length);
  for (let row = 0; row < count; row += 1) {
    for (const [column, place] of places.entries()) {
      chosen[row * places.length + column] = rows[row * columnNames.length + place] ?? 0;
    }
  }
  return chosen;
}

function driftOf({ manifest }: LoadedBundle, { rows, count }: TrainingInput): readonly FeatureDrift[] | null {
  const { training } = manifest;
  if (training === undefined || training === null) return null;
  return manifest.features.flatMap((feature) => {
    const trained = training.features[feature];
    if (trained === undefined) return [];
    const values = columnOf(rows, columnNames.indexOf(feature), count);
    return [{ feature, index: stabilityIndex(trained.counts, countsBetween(trained.edges, values)) }];
  });
}
