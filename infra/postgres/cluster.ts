import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chown, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readIfThere } from "../data-directory/files.ts";
import type { Binaries } from "./binaries.ts";
import { deleteCluster, PostgresUnavailable } from "./managed-postgres-error.ts";
import { clusterIn, type ServerHome } from "./server-home.ts";
import { runningAs } from "./system-user.ts";

/** The name of the superuser, which the application does not use, and of the database. */
export const databaseUser = "touchledger";

const unfinishedPrefix = "cluster.new-";

/** Memory that glibc keeps for the next statement. By default it keeps 128 KiB, less than planning a statement needs. */
const keptBytes = String(16 * 1024 * 1024);

/**
 * The environment of Postgres programs: without ours, which holds secrets. Statements do not get their memory from the
 * system one by one, which took longer than planning them: candidates of an install took 5.9 ms, now 2.4 ms.
 */
export const postgresEnvironment = {
  ...{ PATH: process.env.PATH ?? "", LC_ALL: "C", TZ: "UTC" },
  ...{ MALLOC_TRIM_THRESHOLD_: keptBytes, MALLOC_MMAP_THRESHOLD_: keptBytes },
};

export interface ClusterOptions {
  /** Of {@link databaseUser}. */
  readonly password: string;
  /** Whether a new cluster is synced to disk before it is used. */
  readonly isDurable: boolean;
}

/**
 * Creates the database cluster of `home` when there is none. `initdb` works under another name, so that an interrupted
 * one is deleted and never started. Returns whether a cluster was created.
 * @throws {PostgresUnavailable} when another major version created the cluster, or `initdb` fails
 */
export async function ensureCluster(
  { home, user }: ServerHome,
  binaries: Binaries,
  { password, isDurable }: ClusterOptions,
): Promise<boolean> {
  for (const name of await readdir(home)) {
    if (name.startsWith(unfinishedPrefix)) await rm(join(home, name), { recursive: true, force: true, maxRetries: 5 });
  }
  const createdBy = (await readIfThere(join(clusterIn(home), "PG_VERSION")))?.trim();
  if (createdBy === binaries.majorVersion) return false;
  if (createdBy !== undefined) {
    throw new PostgresUnavailable(
      `${clusterIn(home)} was made by Postgres ${createdBy}, and this is Postgres ${binaries.majorVersion}. ` +
        deleteCluster,
    );
  }
  const unfinished = join(home, `${unfinishedPrefix}${randomUUID()}`);
  const passwordFile = `${unfinished}.password`;
  await writeFile(passwordFile, password, { mode: 0o600, flag: "wx" });
  try {
    if (user !== null) await chown(passwordFile, user.uid, user.gid);
    const output = await run(binaries.initdb, {
      as: runningAs(user),
      parameters: [
        `--pgdata=${unfinished}`,
        `--username=${databaseUser}`,
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        // The same collation on every system, and English messages.
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        ...(isDurable ? [] : ["--no-sync"]),
      ],
    });
    if (output !== null)
      throw new PostgresUnavailable(
        `initdb failed. Is there space, and may this user write to ${home}? It says:\n${output}`,
      );
    await rename(unfinished, clusterIn(home));
  } finally {
    await rm(passwordFile, { force: true });
  }
  return true;
}

/** The output of a program that failed; null when it succeeded. */
function run(
  program: string,
  how: { readonly parameters: readonly string[]; readonly as: { readonly uid?: number; readonly gid?: number } },
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, how.parameters, {
      ...how.as,
      cwd: "/",
      env: postgresEnvironment,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const output: string[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk.toString()));
    child.on("error", reject);
    child.on("close", (code) => resolve(code === 0 ? null : output.join("").trim()));
  });
}
