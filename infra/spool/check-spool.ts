import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DataDirectoryUnusable } from "../data-directory/data-directory.ts";
import { errorCode } from "../data-directory/files.ts";
import { type LmdbFile, makeWhole } from "../data-directory/lmdb-file.ts";
import { runInChildProcess } from "../data-directory/run-in-child-process.ts";

const checkProgram = new URL("./check-spool-child.js", import.meta.url);

/**
 * Refuses a spool whose file was cut short or is damaged, which could crash this process. It is never replaced, as it
 * may contain acknowledged clicks. The caller holds the lock of the data directory.
 * @throws {DataDirectoryUnusable}
 */
export async function requireSoundSpool(directory: string): Promise<void> {
  const lmdb = spoolFile(directory);
  if (!(await isThere(directory))) return;
  await makeWhole(lmdb);
  const fault = await lmdb.unreadable();
  if (fault !== null) throw lmdb.damaged(`cannot be read: ${fault}`);
}

/** Whether there is a spool; an empty file is none, as LMDB creates one in it. */
async function isThere(directory: string): Promise<boolean> {
  try {
    return (await stat(join(directory, "data.mdb"))).size > 0;
  } catch (failure) {
    if (errorCode(failure) === "ENOENT") return false;
    throw failure;
  }
}

const spoolFile = (directory: string): LmdbFile => ({
  directory,
  unreadable: async () => {
    const ended = await runInChildProcess<{ readonly fault: string | null }>(checkProgram, [directory]);
    return "failure" in ended ? ended.failure : ended.result.fault;
  },
  damaged: (reason) =>
    new DataDirectoryUnusable(
      `The spool in ${directory} is damaged: its file ${reason}. Acknowledged clicks may wait in it: restore it from a ` +
        "copy, or move the directory away to give them up.",
    ),
});
