import type { FeatureDistribution, TrainingSummary } from "../../domain/prediction/events.ts";
import { decilesOf, shortestFloat32 } from "./cut-points.ts";
import { binOf } from "./feature-bins.ts";
import { columnNames } from "./training-input.ts";

/** Above this a population stability index is worth a warning. */
export const driftLimit = 0.25;
/** The share of an empty bin, so that its logarithm stays finite. */
const minShare = 1e-4;

/** The distribution of every feature over rows of float32. */
export function summaryOf(rows: Float32Array, count: number): TrainingSummary {
  const features = columnNames.map((name, feature) => [name, distributionOf(columnOf(rows, feature, count))] as const);
  return { installs: count, features: Object.fromEntries(features) };
}

/** The values of one feature. */
export function columnOf(rows: Float32Array, feature: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, row) => rows[row * columnNames.length + feature] ?? 0);
}

/**
 * Counts between distinct deciles. The largest value is no edge, as no value is above it: the next smaller one replaces
 * it, so that a feature with two values has a bin for each.
 */
export function distributionOf(values: Float32Array): FeatureDistribution {
  const largest = values.reduce((max, value) => Math.max(max, value), Number.NEGATIVE_INFINITY);
  const below = values.reduce((max, value) => (value < largest ? Math.max(max, value) : max), Number.NEGATIVE_INFINITY);
  const deciles = decilesOf(values).map((value) => (value === largest && Number.isFinite(below) ? below : value));
  const edges = [...new Set(deciles)].sort((one, other) => one - other).map(shortestFloat32);
  return { edges, counts: countsBetween(edges, values) };
}

/** The number of values up to each edge and above the one before; the last count is of values above all edges. */
export function countsBetween(edges: readonly number[], values: Float32Array): readonly number[] {
  const exact = edges.map(Math.fround);
  const counts = new Array<number>(edges.length + 1).fill(0);
  for (const value of values) {
    const bin = binOf(value, exact);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}

/**
 * The population stability index: the sum over bins of (actual - expected) ln(actual / expected), of shares. 0 when
 * both are distributed alike; null when one side is empty.
 */
export function stabilityIndex(expected: readonly number[], actual: readonly number[]): number | null {
  const all = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
  const [allExpected, allActual] = [all(expected), all(actual)];
  if (allExpected === 0 || allActual === 0) return null;
  return expected.reduce((sum, count, bin) => {
    const expectedShare = Math.max(count / allExpected, minShare);
    const actualShare = Math.max((actual[bin] ?? 0) / allActual, minShare);
    return sum + (actualShare - expectedShare) * Math.log(actualShare / expectedShare);
  }, 0);
}
