import type { ModelName } from "../../domain/prediction/events.ts";
import { modelNames } from "../../domain/prediction/manifest.ts";
import { type Outcome, type Quality, tiers } from "./quality.ts";
import { alignedTable, figure, percent, times } from "./text-table.ts";
import type { ModelReport, TrainingReport } from "./training-report.ts";

/** What each model predicts, in words. */
export const meanings: { readonly [name in ModelName]: string } = {
  d3_purchase: "bought within 3 days",
  d3_churn: "not used after 3 days",
};

/** The report of a training as text. */
export function textReport(report: TrainingReport): string {
  const { app, bundleId, trainedAt, seed, installs } = report;
  const head = [
    `Bundle ${bundleId} of app ${app}, trained as of ${trainedAt} with seed ${seed}.`,
    "",
    `${installs.inLog} installs in the log, ${installs.tooYoung} of them not older than 10 days, ` +
      `${installs.outOfRange} with features beyond float32.`,
    `${installs.used} used: ${installs.trained} to fit the models, ${installs.heldOut} held out to try them.`,
  ];
  return [...head, ...modelNames.flatMap((name) => modelText(name, report.models[name])), ""].join("\n");
}

function modelText(name: ModelName, { cutPoints, heldOut, whole, effects }: ModelReport): readonly string[] {
  const qualities: readonly (readonly [string, Quality])[] = [
    ["held out", heldOut],
    ["all", whole],
  ];
  return [
    "",
    `${name} (${meanings[name]})`,
    "",
    ...alignedTable(
      ["installs", "count", "base rate", "AUC", "log loss", "of base rate", "high over low"],
      qualities.map(([label, quality]) => [
        label,
        String(quality.all.installs),
        percent(quality.all.happened),
        figure(quality.auc),
        figure(quality.logLoss),
        figure(quality.logLossOfBaseRate),
        times(quality.lift),
      ]),
    ),
    "",
    "Tiers, held out:",
    ...outcomesTable(
      "tier",
      [...tiers],
      tiers.map((tier) => heldOut.tiers[tier]),
    ),
    "",
    "Calibration by decile, held out:",
    ...outcomesTable(
      "decile",
      heldOut.deciles.map((_, bin) => String(bin + 1)),
      heldOut.deciles,
    ),
    "",
    "Weights:",
    ...alignedTable(
      ["feature", "weight", "log odds from", "to"],
      effects.map(({ feature, weight, lowest, highest }) => [
        feature,
        percent(weight),
        figure(lowest),
        figure(highest),
      ]),
    ),
    "",
    `Cut points: ${cutPoints.join(" ")}`,
  ];
}

/** Predicted and happened, a line for each group. */
export function outcomesTable(
  title: string,
  labels: readonly string[],
  outcomes: readonly Outcome[],
): readonly string[] {
  return alignedTable(
    [title, "installs", "predicted", "happened"],
    outcomes.map(({ installs, predicted, happened }, index) => [
      labels[index] ?? "",
      String(installs),
      percent(predicted),
      percent(happened),
    ]),
  );
}
