import { rm } from "node:fs/promises";
import { join } from "node:path";
import { readIfThere, writePrivately } from "./files.ts";
import { processIdentity } from "./processes.ts";

/** How the commands find a running instance: `run.json` in its data directory, mode 600. */
export interface RunFile {
  readonly pid: number;
  /** ISO 8601 in UTC. */
  readonly startedAt: string;
  readonly version: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly linkBaseUrl: string;
  /** Connection strings with their passwords. */
  readonly eventStoreUrl: string;
  readonly databaseUrl: string;
  readonly adminToken: string;
  /** The file that keeps the admin token; null when the environment states it. */
  readonly adminTokenFile: string | null;
}

const nameOfRunFile = "run.json";

/** Announces this process as the one that runs on `dataDirectory`. */
export async function writeRunFile(dataDirectory: string, run: RunFile): Promise<void> {
  const identity = processIdentity(run.pid);
  await writePrivately(join(dataDirectory, nameOfRunFile), `${JSON.stringify({ ...run, identity }, null, 2)}\n`);
}

/** The instance that runs on `dataDirectory`; null when none does, also when one was killed and left its file. */
export async function readRunFile(dataDirectory: string): Promise<RunFile | null> {
  const text = await readIfThere(join(dataDirectory, nameOfRunFile));
  if (text === null) return null;
  const { identity, ...run }: RunFile & { readonly identity: string } = JSON.parse(text);
  return processIdentity(run.pid) === identity ? run : null;
}

export async function removeRunFile(dataDirectory: string): Promise<void> {
  await rm(join(dataDirectory, nameOfRunFile), { force: true });
}
