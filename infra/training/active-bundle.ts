import type { ModelBundle, ModelBundleEvent } from "../../domain/prediction/events.ts";
import { modelNames } from "../../domain/prediction/model-fault.ts";
import { modelBundlesStream, modelFileStream } from "../../domain/streams.ts";
import type { EventLog } from "../event-log/event-log.ts";
import type { LoadedBundle } from "./bundle-directory.ts";
import type { TrainedApp } from "./find-app.ts";
import { TrainingImpossible } from "./training-impossible.ts";

/**
 * The bundle that answers for an app: the one activated for it last, else the one activated for all apps last.
 * @throws {TrainingImpossible} when none is
 */
export async function readActiveBundle(log: Pick<EventLog, "read">, app: TrainedApp): Promise<LoadedBundle> {
  const bundles = new Map<string, ModelBundle>();
  let own: string | null = null;
  let usual: string | null = null;
  for await (const recorded of log.read(modelBundlesStream)) {
    const event = recorded as typeof recorded & ModelBundleEvent;
    if (event.type === "BundleRegistered") bundles.set(event.data.bundleId, event.data);
    if (event.type !== "BundleActivated") continue;
    if (event.data.appId === app.appId) own = event.data.bundleId;
    if (event.data.appId === null) usual = event.data.bundleId;
  }
  const manifest = bundles.get(own ?? usual ?? "");
  if (manifest === undefined) {
    throw new TrainingImpossible(
      `No bundle is active for ${app.name}; --bundle <dir> checks one that is not registered.`,
    );
  }
  const modelFiles = new Map<string, Uint8Array>();
  for (const name of modelNames) {
    const { sha256 } = manifest.models[name];
    modelFiles.set(sha256, await fileOf(log, sha256));
  }
  return { manifest, modelFiles };
}

async function fileOf(log: Pick<EventLog, "read">, sha256: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const { type, data } of log.read(modelFileStream(sha256))) {
    if (type === "FileChunk" && data instanceof Uint8Array) chunks.push(data);
  }
  return Buffer.concat(chunks);
}
