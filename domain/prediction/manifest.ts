import { type Fault, fault } from "../fault.ts";
import type { BundleModel, ModelBundle, ModelName } from "./events.ts";

/** A manifest that the schema has validated (contract/prediction.md#bundles). */
export type Manifest = Omit<ModelBundle, "training"> & Partial<Pick<ModelBundle, "training">>;

/** The faults of a manifest that a schema cannot express. */
export function manifestFaults({ models, training }: Manifest): readonly Fault[] {
  const faults: Fault[] = [];
  const [first, ...others] = modelNames;
  for (const name of others) {
    if (models[name].file === models[first].file) faults.push(fault("same_file", ["models", name, "file"]));
  }
  for (const [feature, { edges, counts }] of Object.entries(training?.features ?? {})) {
    const path = ["training", "features", feature];
    const isAscending = edges.every((edge, index) => index === 0 || edge > (edges[index - 1] ?? edge));
    if (!isAscending) faults.push(fault("edges_not_ascending", [...path, "edges"]));
    if (counts.length !== edges.length + 1) faults.push(fault("counts_not_one_more", [...path, "counts"]));
  }
  return faults;
}

/** The bundle that a valid manifest describes. */
export function bundleOf({ bundleId, trainedAt, features, models, training = null }: Manifest): ModelBundle {
  const modelOf = (name: ModelName): BundleModel => ({ ...models[name], cutPoints: models[name].cutPoints ?? null });
  const both = { d3_purchase: modelOf("d3_purchase"), d3_churn: modelOf("d3_churn") };
  return { bundleId, trainedAt, features, models: both, training };
}

/** The models of every bundle. */
export const modelNames = ["d3_purchase", "d3_churn"] as const satisfies readonly ModelName[];

/** The fault of a model's file (contract/prediction.md#bundles). */
export type ModelFault =
  | "does_not_load"
  | "input_unknown"
  | "input_type"
  | "input_shape"
  | "output_unknown"
  | "output_type"
  | "output_shape"
  /** Not a number from 0 to 1 if every feature is 0. */
  | "output_range"
  /** Different results for the same row: its calls could not be replayed. */
  | "output_random"
  | "run_fails"
  /** Ended the process that loaded it. */
  | "crashes"
  | "takes_too_long"
  /** A row takes so long that calls would get no response in time. */
  | "too_slow";

/** A model with its file's bytes and its number of features. */
export interface ModelFile {
  readonly model: Pick<BundleModel, "input" | "output">;
  readonly bytes: Uint8Array;
  readonly width: number;
}
