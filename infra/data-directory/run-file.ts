import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DataDirectoryUnusable } from "./data-directory.ts";
import { readIfThere, writePrivately } from "./files.ts";
import { processIdentity, stillRuns } from "./processes.ts";

/** Where commands find the running instance of a data directory: `run.json`, mode 600. */
export interface RunFile {
  readonly pid: number;
  /** ISO 8601 in UTC. */
  readonly startedAt: string;
  readonly version: string;
  readonly port: number;
  /** The public address of the API. */
  readonly baseUrl: string;
  readonly linkBaseUrl: string;
  /** Where commands of this machine reach the API. */
  readonly apiUrl: string;
  /** Where they reach `/admin/v1` and `/metrics`: `apiUrl`, unless these have a port of their own. */
  readonly operationsUrl: string;
  /** Connection strings with their passwords. */
  readonly eventStoreUrl: string;
  readonly databaseUrl: string;
  readonly eventStreamPrefix: string;
  readonly adminToken: string;
  /** The file of the admin token; null when it comes from the environment. */
  readonly adminTokenFile: string | null;
}

const nameOfRunFile = "run.json";

/** Announces the instance that runs on `dataDirectory`. */
export async function writeRunFile(dataDirectory: string, run: RunFile): Promise<void> {
  const identity = processIdentity(run.pid);
  await writePrivately(join(dataDirectory, nameOfRunFile), `${JSON.stringify({ ...run, identity }, null, 2)}\n`);
}

/**
 * The instance that runs on `dataDirectory`; null when none does, also when a killed one left its file behind.
 * @throws {DataDirectoryUnusable} when its file is damaged
 */
export async function readRunFile(dataDirectory: string): Promise<RunFile | null> {
  const path = join(dataDirectory, nameOfRunFile);
  const text = await readIfThere(path);
  if (text === null) return null;
  const { identity, ...run } = parsed(text, path);
  return stillRuns(run.pid, identity) ? run : null;
}

function parsed(text: string, path: string): RunFile & { readonly identity: string } {
  try {
    return JSON.parse(text);
  } catch {
    throw new DataDirectoryUnusable(`${path} is damaged. A start of the instance writes it again.`);
  }
}

export async function removeRunFile(dataDirectory: string): Promise<void> {
  await rm(join(dataDirectory, nameOfRunFile), { force: true });
}
