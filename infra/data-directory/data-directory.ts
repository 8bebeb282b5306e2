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

/** The data directory is in use, or not writable; the message tells what to do. */
export class DataDirectoryUnusable extends Error {
  override readonly name = "DataDirectoryUnusable";
}

/**
 * Creates the directory when absent, and locks it.
 * @throws {DataDirectoryUnusable} while another process holds the lock, or when it cannot be created or written to
 */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  try {
    await mkdir(path, { recursive: true });
    const real = await realpath(path);
    if ((await readdir(real)).length === 0) await chmod(real, modeOfNew());
    const lock = await takeLock(join(real, "lock"));
    return { path: real, close: () => lock.release() };
  } catch (failure) {
    if (failure instanceof Locked) {
      throw new DataDirectoryUnusable(
        `The data directory ${path} is in use by process ${failure.pid}. Stop that process, or set DATA_DIR to another directory.`,
      );
    }
    if (errorCode(failure) === undefined) throw failure;
    throw new DataDirectoryUnusable(
      `The data directory ${path} cannot be used (${errorCode(failure)}). Let this user write to it, or set DATA_DIR to another directory.`,
    );
  }
}

/** Under root, Postgres runs as another user, who must be able to pass through. Every secret is a file of mode 600. */
function modeOfNew(): number {
  return process.getuid?.() === 0 ? 0o711 : 0o700;
}
