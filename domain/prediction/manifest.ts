import { type Fault, fault } from "../fault.ts";
import type { ModelBundle } from "./events.ts";
import { modelNames } from "./model-fault.ts";

/** A manifest whose shape is right: the schema has seen to that (contract/prediction.md#bundles). */
export type Manifest = Omit<ModelBundle, "training"> & Partial<Pick<ModelBundle, "training">>;

/** The faults of a manifest that no schema can see; each says where it is. */
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

/** The bundle that a manifest without faults describes. */
export function bundleOf({ bundleId, trainedAt, features, models, training = null }: Manifest): ModelBundle {
  return { bundleId, trainedAt, features, models, training };
}
