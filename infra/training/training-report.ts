import type { ModelName } from "../../domain/prediction/events.ts";
import type { FeatureName } from "../../domain/prediction/features.ts";
import type { AdditiveModel } from "./boosted-stumps.ts";
import { type Outcome, type Quality, tiers } from "./quality.ts";
import { columnNames } from "./training-input.ts";

/** The report of one model. */
export interface ModelReport {
  readonly cutPoints: readonly number[];
  readonly steps: number;
  /** On the installs that were held out. */
  readonly heldOut: Quality;
  /** On all installs. */
  readonly whole: Quality;
  readonly effects: readonly Effect[];
}

/** The report of a training: `report.json`. */
export interface TrainingReport {
  readonly app: string;
  readonly bundleId: string;
  /** ISO 8601. */
  readonly trainedAt: string;
  readonly seed: number;
  readonly installs: {
    readonly inLog: number;
    /** Not older than 10 days. */
    readonly tooYoung: number;
    /** With a feature that is not a finite float32. */
    readonly outOfRange: number;
    readonly used: number;
    /** Of the used ones: those that the models were fitted to, and the others. */
    readonly trained: number;
    readonly heldOut: number;
  };
  readonly models: { readonly [name in ModelName]: ModelReport };
}

/** The effect of a feature on the log odds of installs. */
interface Effect {
  readonly feature: FeatureName;
  /** Its share of the effect of all features, from 0 to 1. */
  readonly weight: number;
  /** Its minimum and maximum contribution, relative to the mean. */
  readonly lowest: number;
  readonly highest: number;
}

/** The effects of all features that a model uses, strongest first: the mean distance from their mean contribution. */
export function effectsOf({ steps }: AdditiveModel, rows: Float32Array, count: number): readonly Effect[] {
  const width = columnNames.length;
  const effects = columnNames.flatMap((feature, place) => {
    const own = steps.filter((step) => step.feature === place);
    if (own.length === 0 || count === 0) return [];
    const added = Float64Array.from({ length: count }, (_, row) =>
      own.reduce((sum, { threshold, weight }) => sum + ((rows[row * width + place] ?? 0) > threshold ? weight : 0), 0),
    );
    const mean = added.reduce((sum, value) => sum + value, 0) / count;
    const moved = added.reduce((sum, value) => sum + Math.abs(value - mean), 0) / count;
    const lowest = added.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY) - mean;
    const highest = added.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY) - mean;
    return [{ feature, moved, lowest, highest }];
  });
  const total = effects.reduce((sum, { moved }) => sum + moved, 0);
  return effects
    .map(({ moved, ...effect }) => ({ ...effect, weight: total === 0 ? 0 : moved / total }))
    .sort((one, other) => other.weight - one.weight);
}

/** A table of a report: a column of labels and columns of numbers. */
export interface ReportTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What each model predicts, as text. */
export const meanings: { readonly [name in ModelName]: string } = {
  d3_purchase: "bought within 3 days",
  d3_churn: "not used after 3 days",
};

/** The tables of a model's report. */
export function tablesOf({ heldOut, whole, effects }: ModelReport) {
  return {
    quality: {
      header: ["installs", "count", "base rate", "AUC", "log loss", "of base rate", "high over low"],
      rows: [qualityRow("held out", heldOut), qualityRow("all", whole)],
    },
    tiers: tiersTable(heldOut),
    deciles: outcomesTable(
      "decile",
      heldOut.deciles.map((outcome, bin) => [String(bin + 1), outcome]),
    ),
    effects: {
      header: ["feature", "weight", "log odds from", "to"],
      rows: effects.map(({ feature, weight, lowest, highest }) => [
        feature,
        percent(weight),
        figure(lowest),
        figure(highest),
      ]),
    },
  } satisfies { readonly [name: string]: ReportTable };
}

/** Predicted and happened by tier. */
export function tiersTable(quality: Quality): ReportTable {
  return outcomesTable(
    "tier",
    tiers.map((tier) => [tier, quality.tiers[tier]]),
  );
}

function outcomesTable(title: string, outcomes: readonly (readonly [string, Outcome])[]): ReportTable {
  return {
    header: [title, "installs", "predicted", "happened"],
    rows: outcomes.map(([label, { installs, predicted, happened }]) => [
      label,
      String(installs),
      percent(predicted),
      percent(happened),
    ]),
  };
}

function qualityRow(label: string, quality: Quality): readonly string[] {
  const { all, auc, logLoss, logLossOfBaseRate, lift } = quality;
  const losses = [figure(logLoss), figure(logLossOfBaseRate)];
  return [label, String(all.installs), percent(all.happened), figure(auc), ...losses, times(lift)];
}

/** A share as a percentage with one decimal. */
export function percent(share: number | null): string {
  return share === null ? "-" : `${(share * 100).toFixed(1)} %`;
}

/** A number with four decimals. */
export function figure(value: number | null): string {
  return value === null ? "-" : value.toFixed(4);
}

/** A ratio with one decimal. */
export function times(ratio: number | null): string {
  return ratio === null ? "-" : `${ratio.toFixed(1)} x`;
}
