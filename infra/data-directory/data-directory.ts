import { chmod, mkdir, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "./files.ts";
import { Locked, takeLock } from "./lock.ts";

/** A data directory, locked by this process until it is closed. */
export interface DataDirectory {
  /** Absolute, without symbolic links. */
  readonly path: string;
  close(): Promise<void>;
}

/** The data directory is in use, or not writable; the message says what to do. */
export class DataDirectoryUnusable extends Error {
  override readonly name = "DataDirectoryUnusable";
}

/** Names of the files and directories of an instance in its data directory. */
const directories = ["event-store", "spool"];
const files = ["lock", "run.json", "admin-token", "event-store-password", "url-signing-key", "log-id"];
/** Postgres' own user restricts its directory; file systems have a `lost+found`. */
const foreignNames = ["postgres", "lost+found"];

/**
 * Creates the directory when absent, and locks it. Removes all access of other users.
 * @throws {DataDirectoryUnusable} while another process holds the lock, or when it cannot be created or written to
 */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  try {
    await mkdir(path, { recursive: true });
    const real = await realpath(path);
    await removeAccessOfOthers(real);
    const lock = await takeLock(join(real, "lock"));
    return { path: real, close: () => lock.release() };
  } catch (failure) {
    if (failure instanceof Locked) {
      throw new DataDirectoryUnusable(
        `The data directory ${path} is in use by process ${failure.pid}. Stop that process, or set DATA_DIR to another directory.`,
      );
    }
    const code = errorCode(failure);
    if (!(failure instanceof Error) || code === undefined) throw failure;
    const isFull = code === "ENOSPC" || code === "EDQUOT";
    const advice = isFull ? "Free space on its disk" : "Let this user write to it and own its files";
    throw new DataDirectoryUnusable(
      `The data directory ${path} cannot be used (${failure.message}). ${advice}, or set DATA_DIR to another directory.`,
    );
  }
}

/** Of a file that a process was writing when it was killed. */
const unfinishedEnding = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function removeAccessOfOthers(directory: string): Promise<void> {
  const present = await readdir(directory);
  for (const name of present) {
    if (directories.includes(name)) await chmod(join(directory, name), 0o700);
    if (files.includes(name)) await chmod(join(directory, name), 0o600);
  }
  // A directory with other contents, such as /tmp, has other users.
  const known = [...directories, ...files, ...foreignNames];
  if (!present.every((name) => known.includes(name.replace(unfinishedEnding, "")))) return;
  // Under root, Postgres runs as another user, who must be able to pass through.
  await chmod(directory, process.getuid?.() === 0 ? 0o711 : 0o700);
}
