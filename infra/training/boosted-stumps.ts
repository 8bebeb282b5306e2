import { type BinnedFeature, binFeatures } from "./feature-bins.ts";
import { logLoss } from "./quality.ts";

/** Adds its weight to the log odds of rows whose feature lies above the threshold. */
export interface Step {
  /** Place of the feature in the rows. */
  readonly feature: number;
  /** A float32; equal is not above. */
  readonly threshold: number;
  readonly weight: number;
}

/** Log odds as a sum of steps, each of one feature. */
export interface AdditiveModel {
  readonly bias: number;
  /** By feature, then threshold; no two of the same. */
  readonly steps: readonly Step[];
}

/** Rows to learn from. */
export interface Lesson {
  readonly rows: Float32Array;
  /** Features of a row. */
  readonly width: number;
  /** Of every row, 0 or 1. */
  readonly labels: Uint8Array;
  /** Numbers of the rows to fit. */
  readonly fit: Uint32Array;
  /** Of these, those by which the number of rounds is chosen. */
  readonly tuning: Uint32Array;
}

const maxRounds = 300;
const learningRate = 0.1;
/** Regularisation: reduces the weight of splits with few rows. */
const ridge = 5;
/** Neither side of a stump has fewer rows. */
const minRowsPerSide = 10;

/**
 * Gradient-boosted stumps with logistic loss: each round adds the split of one feature that most lowers the loss on
 * `fit`. The number of rounds is the one with the least loss on `tuning` after learning from the rest of `fit`. The result
 * is deterministic.
 */
export function boostStumps(lesson: Lesson, progress: (share: number) => void = () => {}): AdditiveModel {
  const tuning = new Set(lesson.tuning);
  const others = lesson.fit.filter((row) => !tuning.has(row));
  const tuned = boost(lesson, others, maxRounds, (share) => progress(share / 2));
  const rounds = bestRounds(lesson, tuned);
  return merged(boost(lesson, lesson.fit, rounds, (share) => progress((1 + share) / 2)));
}

/** The probability of log odds. */
function probabilityOf(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}

interface Boosted {
  readonly bias: number;
  /** In the order of the rounds. Each adds `left` to all rows as well. */
  readonly stumps: readonly (Step & { readonly left: number })[];
}

function boost(lesson: Lesson, fit: Uint32Array, rounds: number, progress: (share: number) => void): Boosted {
  const features = binFeatures(lesson.rows, lesson.width, fit).map(({ edges, bins }): FittedFeature => {
    const ofFit = Uint8Array.from(fit, (row) => bins[row] ?? 0);
    const counts = new Uint32Array(edges.length + 1);
    for (const bin of ofFit) counts[bin] = (counts[bin] ?? 0) + 1;
    return { edges, bins: ofFit, counts };
  });
  const labels = Uint8Array.from(fit, (row) => lesson.labels[row] ?? 0);
  const ones = labels.reduce((sum, label) => sum + label, 0);
  const bias = Math.log((ones + 0.5) / (labels.length - ones + 0.5));
  const odds = new Float64Array(fit.length).fill(bias);
  const gradients = new Float64Array(fit.length);
  const curvatures = new Float64Array(fit.length);
  const stumps: (Step & { readonly left: number })[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (let index = 0; index < odds.length; index += 1) {
      const probability = probabilityOf(odds[index] ?? 0);
      gradients[index] = (labels[index] ?? 0) - probability;
      curvatures[index] = probability * (1 - probability);
    }
    const split = bestSplit(features, gradients, curvatures);
    if (split === null) break;
    const { feature, bin, left, right } = split;
    const binned = features[feature];
    if (binned === undefined) break;
    for (let index = 0; index < odds.length; index += 1) {
      odds[index] = (odds[index] ?? 0) + ((binned.bins[index] ?? 0) > bin ? right : left);
    }
    stumps.push({ feature, threshold: binned.edges[bin] ?? 0, left, weight: right - left });
    progress(stumps.length / rounds);
  }
  return { bias, stumps };
}

interface FittedFeature extends BinnedFeature {
  /** Rows in each bin. */
  readonly counts: Uint32Array;
}

interface Split {
  readonly feature: number;
  /** The last bin of the left side. */
  readonly bin: number;
  readonly left: number;
  readonly right: number;
}

function bestSplit(
  features: readonly FittedFeature[],
  gradients: Float64Array,
  curvatures: Float64Array,
): Split | null {
  const allGradients = gradients.reduce((sum, gradient) => sum + gradient, 0);
  const allCurvatures = curvatures.reduce((sum, curvature) => sum + curvature, 0);
  const lossUnsplit = allGradients ** 2 / (allCurvatures + ridge);
  let best: Split | null = null;
  let bestGain = 1e-9;
  features.forEach(({ edges, bins, counts }, feature) => {
    if (edges.length === 0) return;
    const sums = sumsByBin(bins, gradients, curvatures, edges.length + 1);
    let gradient = 0;
    let curvature = 0;
    let rows = 0;
    for (let bin = 0; bin < edges.length; bin += 1) {
      gradient += sums[2 * bin] ?? 0;
      curvature += sums[2 * bin + 1] ?? 0;
      rows += counts[bin] ?? 0;
      if (rows < minRowsPerSide || bins.length - rows < minRowsPerSide) continue;
      const otherGradient = allGradients - gradient;
      const otherCurvature = allCurvatures - curvature;
      const gain = gradient ** 2 / (curvature + ridge) + otherGradient ** 2 / (otherCurvature + ridge) - lossUnsplit;
      if (gain <= bestGain) continue;
      bestGain = gain;
      const left = (learningRate * gradient) / (curvature + ridge);
      best = { feature, bin, left, right: (learningRate * otherGradient) / (otherCurvature + ridge) };
    }
  });
  return best;
}

/** Gradient and curvature of each bin in turn. Most of the time of training is spent here. */
function sumsByBin(bins: Uint8Array, gradients: Float64Array, curvatures: Float64Array, count: number): Float64Array {
  const sums = new Float64Array(2 * count);
  for (let index = 0; index < bins.length; index += 1) {
    const place = 2 * (bins[index] as number);
    (sums[place] as number) += gradients[index] as number;
    (sums[place + 1] as number) += curvatures[index] as number;
  }
  return sums;
}

/** The number of rounds with the least loss over `tuning`; all rounds when `tuning` is empty. */
function bestRounds({ rows, width, labels, tuning }: Lesson, { bias, stumps }: Boosted): number {
  if (tuning.length === 0) return stumps.length;
  const expected = Uint8Array.from(tuning, (row) => labels[row] ?? 0);
  const odds = new Float64Array(tuning.length).fill(bias);
  const lossNow = (): number => logLoss(odds.map(probabilityOf), expected) ?? 0;
  let best = 0;
  let least = lossNow();
  stumps.forEach(({ feature, threshold, left, weight }, round) => {
    tuning.forEach((row, index) => {
      const isAbove = (rows[row * width + feature] ?? 0) > threshold;
      odds[index] = (odds[index] ?? 0) + left + (isAbove ? weight : 0);
    });
    const loss = lossNow();
    if (loss >= least) return;
    least = loss;
    best = round + 1;
  });
  return best;
}

/** The same model with one step for each feature and threshold. */
function merged({ bias, stumps }: Boosted): AdditiveModel {
  const steps = new Map<string, Step>();
  let sum = bias;
  for (const { left, ...step } of stumps) {
    const key = `${step.feature} ${step.threshold}`;
    sum += left;
    steps.set(key, { ...step, weight: step.weight + (steps.get(key)?.weight ?? 0) });
  }
  const sorted = [...steps.values()].sort(
    (one, other) => one.feature - other.feature || one.threshold - other.threshold,
  );
  return { bias: sum, steps: sorted };
}
