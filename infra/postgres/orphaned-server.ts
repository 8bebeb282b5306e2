import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readIfThere } from "../data-directory/files.ts";
import { commandLine, processIdentity, signalProcess } from "../data-directory/processes.ts";

const fastShutdownMs = 20_000;
const immediateShutdownMs = 5_000;
const killMs = 5_000;
const pollMs = 20;

/**
 * Stops a postmaster of `cluster` that has outlived the process that started it, and removes its lock file.
 * Returns whether one was running. The caller holds the lock of the data directory, so that no other process starts one
 * meanwhile.
 */
export async function stopOrphanedServer(cluster: string): Promise<boolean> {
  const lockFile = join(cluster, "postmaster.pid");
  const pid = Number((await readIfThere(lockFile))?.split("\n")[0] ?? Number.NaN);
  if (Number.isNaN(pid)) return false;
  const isOurs = isPostmasterOf(cluster, pid);
  if (isOurs) await stopPostmaster(pid);
  // Postgres would take any running process with this id, of the same user, for the owner of the file.
  await rm(lockFile, { force: true });
  return isOurs;
}

/**
 * Shuts a postmaster down: fast (sessions are cut off, a checkpoint is written), then immediately (recovery at the
 * next start), then by killing its process group.
 */
export async function stopPostmaster(pid: number): Promise<void> {
  if (!signalProcess(pid, "SIGINT") || (await hasEnded(pid, fastShutdownMs))) return;
  if (!signalProcess(pid, "SIGQUIT") || (await hasEnded(pid, immediateShutdownMs))) return;
  if (!signalProcess(-pid, "SIGKILL") || (await hasEnded(pid, killMs))) return;
  throw new Error(`The postmaster ${pid} does not end, even after SIGKILL.`);
}

function isPostmasterOf(cluster: string, pid: number): boolean {
  const [program = "", ...parameters] = commandLine(pid);
  return basename(program) === "postgres" && parameters.some((parameter) => parameter === cluster);
}

async function hasEnded(pid: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (processIdentity(pid) !== null) {
    if (performance.now() > deadline) return false;
    await delay(pollMs);
  }
  return true;
}
