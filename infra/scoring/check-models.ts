import { setTimeout as pause } from "node:timers/promises";
import type { ModelBundle, ModelName } from "../../domain/prediction/events.ts";
import { type ModelFault, type ModelFile, modelNames } from "../../domain/prediction/model-fault.ts";
import { ScorerEnded, startScorerProcess } from "./scorer-process.ts";

export interface CheckedModel {
  readonly model: ModelName;
  readonly fault: ModelFault;
}

const defaultTimeLimitMs = 10_000;

/**
 * What is wrong with the models of a bundle (D11.4): each is loaded and run on one row of zeros in a process of its own,
 * which is ended afterwards. A model that crashes the process or does not end in time has a fault as well.
 * @param files the bytes of each model's file
 * @throws {ScorerUnavailable} when no process can be started
 */
export async function checkModels(
  { features, models }: Pick<ModelBundle, "features" | "models">,
  files: { readonly [name in ModelName]: Uint8Array },
  timeLimitMs = defaultTimeLimitMs,
): Promise<readonly CheckedModel[]> {
  const checked = await Promise.all(
    modelNames.map(async (model) => {
      const file = { model: models[model], bytes: files[model], width: features.length };
      const faults = await faultsOf(file, timeLimitMs);
      return faults.map((fault) => ({ model, fault }));
    }),
  );
  return checked.flat();
}

async function faultsOf({ model, bytes, width }: ModelFile, timeLimitMs: number): Promise<readonly ModelFault[]> {
  const child = startScorerProcess();
  const timeLimit = new AbortController();
  const tooLate = pause<readonly ModelFault[]>(timeLimitMs, ["takes_too_long"], { signal: timeLimit.signal });
  const { input, output } = model;
  const checked = child
    .request<readonly ModelFault[]>("check", { bytes, input, output, width })
    .catch((failure): readonly ModelFault[] => {
      if (failure instanceof ScorerEnded) return ["crashes"];
      throw failure;
    });
  try {
    return await Promise.race([checked, tooLate]);
  } finally {
    timeLimit.abort();
    tooLate.catch(() => {});
    child.kill();
    await child.ended;
  }
}
