import type { BundleModel, ModelName } from "./events.ts";

/** Both models of every bundle. */
export const modelNames = ["d3_purchase", "d3_churn"] as const satisfies readonly ModelName[];

/** What is wrong with a model's file (contract/prediction.md#bundles). */
export type ModelFault =
  | "does_not_load"
  | "input_unknown"
  | "input_type"
  | "input_shape"
  | "output_unknown"
  | "output_type"
  | "output_shape"
  /** Not a number from 0 to 1 when every feature is 0. */
  | "output_range"
  /** Another number for the same row: its calls could not be computed again. */
  | "output_random"
  | "run_fails"
  /** It ended the process that it was loaded into. */
  | "crashes"
  | "takes_too_long";

/** A model with its file's bytes, and how many features it is given. */
export interface ModelFile {
  readonly model: Pick<BundleModel, "input" | "output">;
  readonly bytes: Uint8Array;
  readonly width: number;
}
