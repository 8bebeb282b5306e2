import type { Tier } from "../../domain/prediction/events.ts";
import { tierOf } from "../../domain/prediction/probability.ts";
import { binOf } from "./bins.ts";
import { areaUnderCurve, logLoss, rateOf } from "./metrics.ts";

/** Installs of one group: what was predicted for them, and what happened. */
export interface Outcome {
  readonly installs: number;
  /** Mean probability; null of no installs. */
  readonly predicted: number | null;
  /** Share of the installs of which it came true; null of no installs. */
  readonly happened: number | null;
}

/** How well probabilities told what happened. */
export interface Quality {
  readonly all: Outcome;
  /** null when all have the same label. */
  readonly auc: number | null;
  readonly logLoss: number | null;
  /** What saying the share of ones for each would have. */
  readonly logLossOfBaseRate: number | null;
  /** By the bins between the cut points, lowest first. */
  readonly deciles: readonly Outcome[];
  readonly tiers: { readonly [tier in Tier]: Outcome };
  /** How many times as often it happened in `high` as in `low`; null when it never did in `low`. */
  readonly lift: number | null;
}

export const tiers = ["low", "medium", "high"] as const satisfies readonly Tier[];

/** @param cutPoints as `validCutPoints` gives them */
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
