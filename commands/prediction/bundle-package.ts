import { webcrypto } from "node:crypto";
import { type Fault, fault, faultsAt } from "../../domain/fault.ts";
import type { ModelBundle, ModelName } from "../../domain/prediction/events.ts";
import { bundleOf, type Manifest, manifestFaults, modelNames } from "../../domain/prediction/manifest.ts";
import { hasMoreMembers, membersOf } from "../../infra/http/request/json-complexity.ts";
import { parseJson } from "../../infra/http/request/json-text.ts";
import type { FileBody } from "../../infra/http/request/multipart-body.ts";
import { compileValidator } from "../../infra/http/request/validation.ts";
import { sha256 } from "../derived-ids.ts";
import { manifestSchema } from "./manifest-schema.ts";

const mib = 1024 * 1024;
/** Maximum bytes of one model's file (contract/prediction.md#bundles). */
export const maxModelBytes = 16 * mib;
/** Maximum bytes of the manifest. */
export const maxManifestBytes = mib;
/** Maximum bytes of a bundle in an event: the limit of an append, less the metadata. */
const maxStoredBytes = 900 * 1024;
/** Maximum objects, arrays and members: that many are parsed and validated in milliseconds. */
const maxManifestMembers = 50_000;

const manifestName = "manifest.json";
const manifestPath = ["body", manifestName];

/** A bundle as it was sent: its manifest has the right shape, and its files are those that the manifest names. */
export interface BundlePackage {
  readonly bundle: ModelBundle;
  /** SHA-256 of the manifest's bytes and both models' hashes. */
  readonly contentHash: string;
  readonly models: { readonly [name in ModelName]: Buffer };
}

export type ReadPackage =
  | { readonly outcome: "read"; readonly package: BundlePackage }
  | { readonly outcome: "faulty"; readonly errors: readonly Fault[] };

const schemaFaults = compileValidator(manifestSchema, "body");

/**
 * Reads the files of a bundle by their names (contract/prediction.md#bundles): the manifest, then exactly the files that
 * it names, with their sizes and hashes. The path of a fault is the file, and the field of the manifest.
 */
export async function readPackage(files: readonly FileBody[]): Promise<ReadPackage> {
  const named = (name: string): readonly FileBody[] => files.filter(({ fileName }) => fileName === name);
  const [sent, ...again] = named(manifestName);
  if (sent === undefined) return faulty([missing(manifestName)]);
  if (again.length > 0) return faulty([double(manifestName)]);
  const read = readManifest(sent.bytes);
  if ("errors" in read) return faulty(read.errors);
  const bundle = bundleOf(read.manifest);

  const errors = files.flatMap((file) => unknownFaults(file, bundle));
  for (const name of modelNames) errors.push(...(await modelFaults(bundle, name, named(bundle.models[name].file))));
  const [purchase] = named(bundle.models.d3_purchase.file);
  const [churn] = named(bundle.models.d3_churn.file);
  if (errors.length > 0 || purchase === undefined || churn === undefined) return faulty(errors);
  const hashes = modelNames.map((name) => bundle.models[name].sha256);
  const contentHash = sha256([sha256(sent.bytes).toString("hex"), ...hashes].join("\n")).toString("hex");
  const models = { d3_purchase: purchase.bytes, d3_churn: churn.bytes };
  return { outcome: "read", package: { bundle, contentHash, models } };
}

function readManifest(bytes: Buffer): { readonly manifest: Manifest } | { readonly errors: readonly Fault[] } {
  if (bytes.length > maxManifestBytes) return { errors: [tooLarge(manifestName, maxManifestBytes)] };
  if (hasMoreMembers(bytes, maxManifestMembers)) return { errors: [manifestFault("too_long.manifest")] };
  const parsed = parseJson(bytes);
  if (parsed.outcome === "invalid") return { errors: [manifestFault("invalid_json")] };
  if (parsed.outcome === "refused") return { errors: faultsAt(manifestPath, [parsed.fault]) };
  if (hasMoreMembers(bytes, membersOf(parsed.value))) return { errors: [manifestFault("repeated_field")] };
  const inShape = schemaFaults(parsed.value);
  // The schema's faults begin with the body; in it the manifest is one file.
  if (inShape.length > 0) {
    return { errors: inShape.map((one) => ({ ...one, path: [...manifestPath, ...one.path.slice(1)] })) };
  }
  const manifest = parsed.value as Manifest;
  const between = manifestFaults(manifest);
  if (between.length > 0) return { errors: faultsAt(manifestPath, between) };
  if (Buffer.byteLength(JSON.stringify(manifest)) > maxStoredBytes) {
    return { errors: [tooLarge(manifestName, maxStoredBytes)] };
  }
  return { manifest };
}

function manifestFault(code: string): Fault {
  return fault(code, manifestPath);
}

function unknownFaults({ fileName }: FileBody, { models }: ModelBundle): readonly Fault[] {
  if (fileName === manifestName || modelNames.some((name) => models[name].file === fileName)) return [];
  return [fault("unknown_file", fileName === null ? ["body"] : ["body", fileName])];
}

async function modelFaults(
  { models }: ModelBundle,
  name: ModelName,
  files: readonly FileBody[],
): Promise<readonly Fault[]> {
  const { file: fileName, sha256: declared } = models[name];
  const [file, ...again] = files;
  if (file === undefined) return [missing(fileName)];
  if (again.length > 0) return [double(fileName)];
  if (file.bytes.length > maxModelBytes) return [tooLarge(fileName, maxModelBytes)];
  if ((await sha256OffThread(file.bytes)) === declared) return [];
  return [fault("hash_mismatch", ["body", fileName])];
}

/** Hex. Computed off the main thread, which megabytes would block for tens of milliseconds. */
async function sha256OffThread(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest("SHA-256", bytes)).toString("hex");
}

function missing(fileName: string): Fault {
  return fault("missing", ["body", fileName]);
}

function double(fileName: string): Fault {
  return fault("double_file", ["body", fileName]);
}

function tooLarge(fileName: string, limit: number): Fault {
  return fault("too_long.bytes", ["body", fileName], { limit });
}

function faulty(errors: readonly Fault[]): ReadPackage {
  return { outcome: "faulty", errors };
}
