import type { ModelBundle } from "../../domain/prediction/events.ts";
import type { ReadModelFile } from "./loaded-bundles.ts";
import { BundleNotLoaded, ScoreInvalid, type Scorer, type Scores } from "./scorer.ts";

/** Longer than a context call waits. */
const deadlineMs = 1_000;
const maxAttempts = 3;

export interface ScoreVectorDeps {
  readonly scorer: Pick<Scorer, "load" | "score">;
  findBundle(bundleId: string): Promise<ModelBundle | null>;
  readonly readModelFile: ReadModelFile;
}

/** Scores one vector with any registered bundle; loads the bundle unless it is among those used last. */
export function createScoreVector({ scorer, findBundle, readModelFile }: ScoreVectorDeps) {
  return async (bundleId: string, vector: Float32Array): Promise<Scores> => {
    const bundle = await findBundle(bundleId);
    if (bundle === null) throw new Error(`There is no bundle ${bundleId}`);
    for (let attempt = 1; ; attempt += 1) {
      await scorer.load(bundle, readModelFile);
      try {
        const [scores] = await scorer.score(bundleId, [vector], deadlineMs);
        if (scores === undefined) throw new Error(`Bundle ${bundleId} has scored nothing`);
        return scores;
      } catch (failure) {
        // Other bundles have replaced it in the cache since it was loaded.
        if (!(failure instanceof BundleNotLoaded) || attempt === maxAttempts) throw failure;
      }
    }
  };
}

/** Null instead of {@link ScoreInvalid}. */
export function nullIfInvalid(scores: Promise<Scores>): Promise<Scores | null> {
  return scores.catch((failure: unknown) => {
    if (failure instanceof ScoreInvalid) return null;
    throw failure;
  });
}
