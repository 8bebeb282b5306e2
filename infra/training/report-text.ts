import type { ModelName } from "../../domain/prediction/events.ts";
import { modelNames } from "../../domain/prediction/manifest.ts";
import { alignedLines } from "../cli/terminal-text.ts";
import type { BundleCheck } from "./check-bundle.ts";
import { driftLimit } from "./drift.ts";
import type { Quality, tiers } from "./quality.ts";
import {
  figure,
  type ModelReport,
  meanings,
  percent,
  type ReportTable,
  type TrainingReport,
  tablesOf,
  tiersTable,
  times,
} from "./training-report.ts";

/** The report of a training as text. */
export function trainingText({ app, bundleId, trainedAt, seed, installs, models }: TrainingReport): string {
  return [
    `Bundle ${bundleId} of app ${app}, trained as of ${trainedAt} with seed ${seed}.`,
    "",
    `${installs.inLog} installs in the log, ${installs.tooYoung} of them not older than 10 days, ` +
      `${installs.outOfRange} with features beyond float32.`,
    `${installs.used} used: ${installs.trained} to fit the models, ${installs.heldOut} held out to test them.`,
    ...modelNames.flatMap((name) => modelLines(name, models[name])),
    "",
  ].join("\n");
}

function modelLines(name: ModelName, report: ModelReport): readonly string[] {
  const { quality, tiers, deciles, effects } = tablesOf(report);
  return [
    "",
    `${name} (${meanings[name]})`,
    "",
    ...tableLines(quality),
    "",
    "Tiers, held out:",
    ...tableLines(tiers),
    "",
    "Calibration by decile, held out:",
    ...tableLines(deciles),
    "",
    "Weights:",
    ...tableLines(effects),
    "",
    `Cut points: ${report.cutPoints.join(" ")}`,
  ];
}

/** The check of a bundle as text, the warnings last. */
export function checkText(check: BundleCheck): string {
  const { bundleId, app, trainedAt, installs, unseen, outOfRange, drift } = check;
  const warnings = warningsOf(check);
  return [
    `Bundle ${bundleId}, trained as of ${trainedAt}, on ${installs} installs of ${app} that are older than 10 days.`,
    `${unseen} of them are too young to have been used in training.`,
    ...(outOfRange === 0 ? [] : [`${outOfRange} more have features beyond float32 and are left out.`]),
    ...modelNames.flatMap((name) => {
      const quality = check.models[name];
      const summary = `AUC ${figure(quality.auc)}, high over low ${times(quality.lift)}`;
      return ["", `${name} (${meanings[name]}): ${summary}`, ...tableLines(tiersTable(quality))];
    }),
    "",
    ...(drift === null
      ? ["The manifest does not contain the distribution of features in training: their drift is unknown."]
      : [
          "Population stability index of each feature against training:",
          ...tableLines({
            header: ["feature", "index"],
            rows: drift.map(({ feature, index }) => [feature, figure(index)]),
          }),
        ]),
    "",
    ...(warnings.length === 0 ? ["No warnings."] : warnings.map((warning) => `WARNING: ${warning}`)),
    "",
  ].join("\n");
}

/** What an operator should look into: tiers that are out of order, and features that have drifted. */
export function warningsOf({ models, drift }: Pick<BundleCheck, "models" | "drift">): readonly string[] {
  const outOfOrder = modelNames.flatMap((name) => orderWarnings(name, models[name]));
  const drifted = (drift ?? []).flatMap(({ feature, index }) =>
    index !== null && index > driftLimit
      ? [
          `${feature} is no longer distributed as in training: its population stability index is ${figure(index)}, ` +
            `above ${driftLimit}.`,
        ]
      : [],
  );
  return [...outOfOrder, ...drifted];
}

function orderWarnings(name: string, { tiers: byTier }: Pick<Quality, "tiers">): readonly string[] {
  const pairs = [
    ["high", "medium"],
    ["medium", "low"],
    ["high", "low"],
  ] as const;
  const isBelow = (upper: (typeof tiers)[number], lower: (typeof tiers)[number]): boolean =>
    (byTier[upper].happened ?? Number.POSITIVE_INFINITY) < (byTier[lower].happened ?? Number.NEGATIVE_INFINITY);
  // With an empty medium tier, high and low are neighbours.
  const neighbours = byTier.medium.installs === 0 ? pairs : pairs.slice(0, 2);
  return neighbours
    .filter(([upper, lower]) => isBelow(upper, lower))
    .map(
      ([upper, lower]) =>
        `The tiers of ${name} are out of order: it came true for ${percent(byTier[upper].happened)} of ${upper}, ` +
        `but for ${percent(byTier[lower].happened)} of ${lower}.`,
    );
}

function tableLines({ header, rows }: ReportTable): readonly string[] {
  const [title = "", ...titles] = header;
  const cells = [[title, ...titles], ...rows].map(([label = "", ...numbers]) => [
    label,
    ...numbers.map((number) => ({ number })),
  ]);
  return alignedLines(cells).map((line) => `  ${line}`);
}
