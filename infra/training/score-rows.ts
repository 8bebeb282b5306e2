import type { ModelName } from "../../domain/prediction/events.ts";
import type { ScoredBundle } from "../scoring/loaded-bundles.ts";
import { createScorer } from "../scoring/scorer.ts";

/** Rows of one call: enough to make the cost of messages to the scorer's process small. */
const rowsPerCall = 500;
const deadlineMs = 60_000;

/**
 * The probabilities of both models of a bundle for each row, from the process that serves context calls. It runs each row
 * by itself, so that the results are equal to the last bit.
 * @param modelFiles bytes by SHA-256
 */
export async function scoreRows(
  bundle: ScoredBundle,
  modelFiles: ReadonlyMap<string, Uint8Array>,
  rows: Float32Array,
  progress: (share: number) => void,
): Promise<{ readonly [name in ModelName]: Float32Array }> {
  const width = bundle.features.length;
  const count = rows.length / width;
  const scored = { d3_purchase: new Float32Array(count), d3_churn: new Float32Array(count) };
  const scorer = createScorer({ onTrouble: () => {} });
  try {
    await scorer.load(bundle, async (sha256) => modelFiles.get(sha256) ?? new Uint8Array());
    for (let first = 0; first < count; first += rowsPerCall) {
      const vectors = Array.from({ length: Math.min(rowsPerCall, count - first) }, (_, index) =>
        rows.slice((first + index) * width, (first + index + 1) * width),
      );
      const scores = await scorer.score(bundle.bundleId, vectors, deadlineMs);
      for (const [index, { d3_purchase, d3_churn }] of scores.entries()) {
        scored.d3_purchase[first + index] = d3_purchase;
        scored.d3_churn[first + index] = d3_churn;
      }
      progress(Math.min(1, (first + rowsPerCall) / count));
    }
    return scored;
  } finally {
    await scorer.close();
  }
}
