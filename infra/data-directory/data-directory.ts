import { chmod, mkdir, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "./files.ts";
import { Locked, takeLock } from "./lock.ts";

/** A data directory that this process alone uses until it closes it. */
export interface DataDirectory {
  /** Absolute, without symbolic links. */
  readonly path: string;
  close(): Promise<void>;
}

/** Somebody else works in the data directory, or we may not. The message says in plain words what to do about it. */
export class DataDirectoryUnusable extends Error {
  override readonly name = "DataDirectoryUnusable";
}

/**
 * Makes the directory when there is none and locks it.
 * @throws {DataDirectoryUnusable} while another process holds it, or when it cannot be made or written to
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

/** Under root, Postgres runs as another user and must be able to pass through; every secret is a file of mode 600. */
function modeOfNew(): number {
  return process.getuid?.() === 0 ? 0o711 : 0o700;
}
