import type { ModelBundle, ModelName } from "../../domain/prediction/events.ts";
import { type ModelFault, type ModelFile, modelNames } from "../../domain/prediction/manifest.ts";
import { TimeLimitExceeded, within } from "../process/time-limit.ts";
import { ScorerEnded, type ScorerProcess, startScorerProcess } from "./scorer-process.ts";

export interface CheckedModel {
  readonly model: ModelName;
  readonly fault: ModelFault;
}

/** Milliseconds that a check may take. */
interface CheckLimits {
  /** For each model. */
  readonly modelMs: number;
  /** For one row, once the model has run. A call has less than a second for both models. */
  readonly rowMs: number;
}

const usualLimits: CheckLimits = { modelMs: 10_000, rowMs: 200 };

/**
 * The faults of the models of a bundle (contract/prediction.md#bundles): each is loaded and run on one row of zeros in a
 * separate process, which is stopped afterwards. Crashing it and exceeding a time limit are faults as well.
 * @param files the bytes of each model's file
 * @throws {ScorerUnavailable} when no process can be started
 */
export async function checkModels(
  { features, models }: Pick<ModelBundle, "features" | "models">,
  files: { readonly [name in ModelName]: Uint8Array },
  limits = usualLimits,
): Promise<readonly CheckedModel[]> {
  const checked: CheckedModel[] = [];
  let child: ScorerProcess | null = null;
  try {
    for (const model of modelNames) {
      child ??= startScorerProcess();
      const file = { model: models[model], bytes: files[model], width: features.length };
      const faults = await faultsOf(child, file, limits);
      for (const fault of faults) checked.push({ model, fault });
      if (faults.includes("takes_too_long") || faults.includes("crashes")) child = await end(child);
    }
  } finally {
    if (child !== null) await end(child);
  }
  return checked;
}

async function faultsOf(
  child: ScorerProcess,
  { model: { input, output }, bytes, width }: ModelFile,
  { modelMs, rowMs }: CheckLimits,
): Promise<readonly ModelFault[]> {
  try {
    const fields = { bytes, input, output, width, rowMs };
    return await within(modelMs, child.request<readonly ModelFault[]>("check", fields));
  } catch (failure) {
    if (failure instanceof ScorerEnded) return ["crashes"];
    if (failure instanceof TimeLimitExceeded) return ["takes_too_long"];
    throw failure;
  }
}

async function end(child: ScorerProcess): Promise<null> {
  child.kill();
  await child.ended;
  return null;
}
