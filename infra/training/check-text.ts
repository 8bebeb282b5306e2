import { modelNames } from "../../domain/prediction/manifest.ts";
import type { BundleCheck } from "./check-bundle.ts";
import { driftLimit } from "./drift.ts";
import { type Quality, tiers } from "./quality.ts";
import { meanings, outcomesTable } from "./report-text.ts";
import { alignedTable, figure, percent, times } from "./text-table.ts";

/** A bundle's check as text, the warnings last. */
export function checkText(check: BundleCheck): string {
  const { bundleId, app, trainedAt, installs, unseen, outOfRange, drift } = check;
  const warnings = warningsOf(check);
  return [
    `Bundle ${bundleId}, trained as of ${trainedAt}, on ${installs} installs of ${app} that are older than 10 days.`,
    `${unseen} of them are too young for training to have used them.`,
    ...(outOfRange === 0 ? [] : [`${outOfRange} more have features beyond float32 and are left out.`]),
    ...modelNames.flatMap((name) => {
      const { tiers: byTier, auc, lift } = check.models[name];
      const summary = `AUC ${figure(auc)}, high over low ${times(lift)}`;
      return [
        "",
        `${name} (${meanings[name]}): ${summary}`,
        ...outcomesTable(
          "tier",
          tiers,
          tiers.map((tier) => byTier[tier]),
        ),
      ];
    }),
    "",
    ...(drift === null
      ? ["The manifest does not say how features were distributed in training: their drift is not known."]
      : [
          "Population stability index of each feature against training:",
          ...alignedTable(
            ["feature", "index"],
            drift.map(({ feature, index }) => [feature, figure(index)]),
          ),
        ]),
    "",
    ...(warnings.length === 0 ? ["No warnings."] : warnings.map((warning) => `WARNING: ${warning}`)),
    "",
  ].join("\n");
}

/** What an operator should look into, in words: tiers that are out of order, and features that have drifted. */
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
        `The tiers of ${name} no longer order: it came true for ${percent(byTier[upper].happened)} of ${upper}, ` +
        `but for ${percent(byTier[lower].happened)} of ${lower}.`,
    );
}
