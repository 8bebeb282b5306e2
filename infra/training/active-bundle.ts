import { createHash } from "node:crypto";
import type { ModelBundleEvent } from "../../domain/prediction/events.ts";
import { modelNames } from "../../domain/prediction/manifest.ts";
import { activeBundles, modelBundles } from "../../domain/prediction/model-bundles.ts";
import { modelBundlesStream, modelFileStream } from "../../domain/streams.ts";
import type { EventLog } from "../event-log/event-log.ts";
import type { LoadedBundle } from "./bundle-directory.ts";
import type { TrainedApp } from "./find-app.ts";
import { TrainingImpossible } from "./training-impossible.ts";

/**
 * The bundle that answers for an app: the one activated for it last, else the one activated for all apps last.
 * @throws {TrainingImpossible} when none is, or the log does not hold its models whole
 */
export async function readActiveBundle(log: Pick<EventLog, "read">, app: TrainedApp): Promise<LoadedBundle> {
  let state = modelBundles.initialState;
  for await (const recorded of log.read(modelBundlesStream)) {
    state = modelBundles.evolve(state, recorded as typeof recorded & ModelBundleEvent);
  }
  const active = activeBundles(state);
  const manifest = active.get(app.appId) ?? active.get(null);
  if (manifest === undefined) {
    throw new TrainingImpossible(
      `No bundle is active for ${app.name}; --bundle <dir> checks one that is not registered.`,
    );
  }
  const modelFiles = new Map<string, Uint8Array>();
  for (const name of modelNames) {
    const { sha256 } = manifest.models[name];
    modelFiles.set(sha256, await modelFile(log, sha256));
  }
  return { manifest, modelFiles };
}

async function modelFile(log: Pick<EventLog, "read">, sha256: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const { type, data } of log.read(modelFileStream(sha256))) {
    if (type === "FileChunk" && data instanceof Uint8Array) chunks.push(data);
  }
  const bytes = Buffer.concat(chunks);
  if (createHash("sha256").update(bytes).digest("hex") === sha256) return bytes;
  throw new TrainingImpossible(`The log does not hold the model file ${sha256} whole.`);
}
