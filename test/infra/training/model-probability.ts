import type { AdditiveModel } from "../../../infra/training/boosted-stumps.ts";

/** The probability of a row under a model, computed without its ONNX file. */
export function modelProbability(model: AdditiveModel, row: ArrayLike<number>): number {
  let logOdds = model.bias;
  for (const { feature, threshold, weight } of model.steps) if ((row[feature] ?? 0) > threshold) logOdds += weight;
  return 1 / (1 + Math.exp(-logOdds));
}
