import type { Tier } from "../../domain/prediction/events.ts";
import { tierOf } from "../../domain/prediction/probability.ts";
import { binOf } from "./feature-bins.ts";

/** Predicted and actual shares of a group of installs. */
export interface Outcome {
  readonly installs: number;
  /** Mean probability; null of no installs. */
  readonly predicted: number | null;
  /** Share of the installs for which it came true; null of no installs. */
  readonly happened: number | null;
}

/** The quality of predicted probabilities. */
export interface Quality {
  readonly all: Outcome;
  /** null when all have the same label. */
  readonly auc: number | null;
  readonly logLoss: number | null;
  /** The log loss of predicting the base rate for each install. */
  readonly logLossOfBaseRate: number | null;
  /** By the bins between the cut points, lowest first. */
  readonly deciles: readonly Outcome[];
  readonly tiers: { readonly [tier in Tier]: Outcome };
  /** How many times as often it happened in `high` as in `low`; null when it never did in `low`. */
  readonly lift: number | null;
}

export const tiers = ["low", "medium", "high"] as const satisfies readonly Tier[];

/** @param cutPoints as returned by `validCutPoints` */
export function qualityOf(probabilities: Float32Array, labels: Uint8Array, cutPoints: readonly number[]): Quality {
  const inGroup = (belongs: (probability: number) => boolean): Outcome => {
    const rows = Array.from(probabilities.keys()).filter((row) => belongs(probabilities[row] ?? 0));
    return outcomeOf(
      rows.map((row) => probabilities[row] ?? 0),
      rows.map((row) => labels[row] ?? 0),
    );
  };
  const ofTier = (tier: Tier): Outcome => inGroup((probability) => tierOf(probability, cutPoints) === tier);
  const byTier = { low: ofTier("low"), medium: ofTier("medium"), high: ofTier("high") };
  const baseRate = rateOf(labels);
  return {
    all: outcomeOf(probabilities, labels),
    auc: areaUnderCurve(probabilities, labels),
    logLoss: logLoss(probabilities, labels),
    logLossOfBaseRate: baseRate === null ? null : logLoss(new Float64Array(labels.length).fill(baseRate), labels),
    deciles: Array.from({ length: cutPoints.length + 1 }, (_, bin) =>
      inGroup((probability) => binOf(probability, cutPoints) === bin),
    ),
    tiers: byTier,
    lift: byTier.low.happened && byTier.high.happened !== null ? byTier.high.happened / byTier.low.happened : null,
  };
}

function outcomeOf(probabilities: ArrayLike<number>, labels: ArrayLike<number>): Outcome {
  return { installs: probabilities.length, predicted: rateOf(probabilities), happened: rateOf(labels) };
}

/** Probabilities are limited to this, so that a single install cannot dominate the loss. */
const minProbability = 1e-7;

/**
 * The share of pairs of a 1 and a 0 in which the 1 has the higher probability, ties by half (the area under the ROC
 * curve); null when there is no such pair.
 */
export function areaUnderCurve(probabilities: ArrayLike<number>, labels: ArrayLike<number>): number | null {
  const order = Array.from(probabilities, (_, index) => index).sort(
    (one, other) => (probabilities[one] ?? 0) - (probabilities[other] ?? 0),
  );
  let ones = 0;
  let zeros = 0;
  let wins = 0;
  for (let first = 0; first < order.length; ) {
    const value = probabilities[order[first] ?? 0];
    let tiedOnes = 0;
    let tiedZeros = 0;
    for (; first < order.length && probabilities[order[first] ?? 0] === value; first += 1) {
      if (labels[order[first] ?? 0] === 1) tiedOnes += 1;
      else tiedZeros += 1;
    }
    wins += tiedOnes * (zeros + tiedZeros / 2);
    ones += tiedOnes;
    zeros += tiedZeros;
  }
  return ones === 0 || zeros === 0 ? null : wins / (ones * zeros);
}

/** The mean of -ln of the probability predicted for what happened; null for no labels. */
export function logLoss(probabilities: ArrayLike<number>, labels: ArrayLike<number>): number | null {
  let sum = 0;
  for (let index = 0; index < probabilities.length; index += 1) {
    const probability = probabilities[index] ?? 0;
    const predicted = labels[index] === 1 ? probability : 1 - probability;
    sum -= Math.log(Math.min(Math.max(predicted, minProbability), 1));
  }
  return probabilities.length === 0 ? null : sum / probabilities.length;
}

/** The share of ones; null for no labels. */
export function rateOf(labels: ArrayLike<number>): number | null {
  let ones = 0;
  for (let index = 0; index < labels.length; index += 1) ones += labels[index] ?? 0;
  return labels.length === 0 ? null : ones / labels.length;
}
