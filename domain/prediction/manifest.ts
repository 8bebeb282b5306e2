import type { BundleModel, ModelBundle, ModelName } from "./events.ts";

/** A manifest that the schema has validated (contract/prediction.md#bundles). */
export type Manifest = Omit<ModelBundle, "training"> & Partial<Pick<ModelBundle, "training">>;

/** A broken rule between fields of a manifest. */
export interface ManifestFault {
  readonly path: readonly string[];
  readonly code: "same_file" | "edges_not_ascending" | "counts_not_one_more";
}

/** The faults of a manifest that a schema cannot express. */
export function manifestFaults({ models, training }: Manifest): readonly ManifestFault[] {
  const faults: ManifestFault[] = [];
  const [first, ...others] = modelNames;
  for (const name of others) {
    if (models[name].file === models[first].file) faults.push({ path: ["models", name, "file"], code: "same_file" });
  }
  for (const [feature, { edges, counts }] of Object.entries(training?.features ?? {})) {
    const path = ["training", "features", feature];
    const isAscending = edges.every((edge, index) => index === 0 || edge > (edges[index - 1] ?? edge));
    if (!isAscending) faults.push({ path: [...path, "edges"], code: "edges_not_ascending" });
    if (counts.length !== edges.length + 1) faults.push({ path: [...path, "counts"], code: "counts_not_one_more" });
  }
  return faults;
}

/** The bundle that a valid manifest describes. */
export function bundleOf({ bundleId, trainedAt, features, models, training = null }: Manifest): ModelBundle {
  return { bundleId, trainedAt, features, models, training };
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
  | "takes_too_long";

/** A model with its file's bytes and its number of features. */
export interface ModelFile {
  readonly model: Pick<BundleModel, "input" | "output">;
  readonly bytes: Uint8Array;
  readonly width: number;
}
