import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ModelBundleEvent } from "../../domain/prediction/events.ts";
import { isFeatureName } from "../../domain/prediction/features.ts";
import type { Manifest } from "../../domain/prediction/manifest.ts";
import { modelNames } from "../../domain/prediction/manifest.ts";
import { activeBundles, modelBundles } from "../../domain/prediction/model-bundles.ts";
import { modelBundlesStream, modelFileStream } from "../../domain/streams.ts";
import type { EventLog } from "../event-log/event-log.ts";
import type { TrainedApp } from "./read-installs.ts";
import { TrainingImpossible } from "./training-impossible.ts";

/** A bundle with the bytes of its models, by SHA-256. */
export interface LoadedBundle {
  readonly manifest: Manifest;
  readonly modelFiles: ReadonlyMap<string, Uint8Array>;
}

/**
 * Checks that a directory for a bundle is new or empty.
 * @throws {TrainingImpossible}
 */
export async function refuseUsedDirectory(path: string): Promise<void> {
  const names = await readdir(path).catch((failure) => {
    if (failure.code === "ENOENT") return [];
    throw new TrainingImpossible(`${path} cannot be written to (${failure.code}).`);
  });
  if (names.length > 0) throw new TrainingImpossible(`${path} exists and is not empty.`);
}

/**
 * Writes a bundle's files into a directory that is new or empty; when they do not fit, none stays.
 * @throws {TrainingImpossible}
 */
export async function writeBundle(path: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  await refuseUsedDirectory(path);
  const written: string[] = [];
  try {
    await mkdir(path, { recursive: true });
    for (const [name, bytes] of files) {
      const file = await open(join(path, name), "wx");
      written.push(join(path, name));
      await file.writeFile(bytes).finally(() => file.close());
    }
  } catch (failure) {
    for (const file of written) await rm(file, { force: true });
    throw new TrainingImpossible(
      `${path} cannot be written to (${failure instanceof Error ? failure.message : failure}).`,
    );
  }
}

/**
 * Reads the bundle in a directory.
 * @throws {TrainingImpossible} when there is none, or its model files do not match its manifest
 */
export async function readBundleDirectory(path: string): Promise<LoadedBundle> {
  const manifest = manifestIn(path, await fileIn(path, "manifest.json"));
  const modelFiles = new Map<string, Uint8Array>();
  for (const name of modelNames) {
    const { file, sha256 } = manifest.models[name];
    const bytes = await fileIn(path, basename(file));
    if (createHash("sha256").update(bytes).digest("hex") !== sha256) {
      throw new TrainingImpossible(`${join(path, file)} does not match the manifest: its SHA-256 differs.`);
    }
    modelFiles.set(sha256, bytes);
  }
  return { manifest, modelFiles };
}

async function fileIn(path: string, name: string): Promise<Buffer> {
  return readFile(join(path, name)).catch((failure) => {
    throw new TrainingImpossible(`${join(path, name)} cannot be read (${failure.code}).`);
  });
}

function manifestIn(path: string, bytes: Buffer): Manifest {
  try {
    const manifest: Manifest = JSON.parse(bytes.toString("utf8"));
    const isKnown = manifest.features.length > 0 && manifest.features.every(isFeatureName);
    const isWhole = modelNames.every((name) => {
      const { file, sha256, input, output } = manifest.models[name];
      return [file, sha256, input, output].every((text) => typeof text === "string");
    });
    if (isKnown && isWhole && !Number.isNaN(Date.parse(manifest.trainedAt))) return manifest;
  } catch {
    // Not JSON, or not of this shape: reported below.
  }
  throw new TrainingImpossible(`${join(path, "manifest.json")} is not the manifest of a bundle.`);
}

/**
 * Reads the active bundle of an app from the log: the last one activated for it, else the last one for all apps.
 * @throws {TrainingImpossible} when none is active, or its model files are incomplete in the log
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
  for await (const { data } of log.read(modelFileStream(sha256))) {
    if (data instanceof Uint8Array) chunks.push(data);
  }
  const bytes = Buffer.concat(chunks);
  if (createHash("sha256").update(bytes).digest("hex") === sha256) return bytes;
  throw new TrainingImpossible(`The model file ${sha256} is incomplete in the log.`);
}
