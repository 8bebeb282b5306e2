import { chmod, mkdir, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { Locked, takeLock } from "./lock.ts";

/** A data directory that this process alone uses until it closes it. */
export interface DataDirectory {
  /** Absolute, without symbolic links. */
  readonly path: string;
  close(): Promise<void>;
}

/** Somebody else works in the data directory. */
export class DataDirectoryInUse extends Error {
  override readonly name = "DataDirectoryInUse";
}

/**
 * Makes the directory when there is none and locks it.
 * @throws {DataDirectoryInUse} while another process holds it
 */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  await mkdir(path, { recursive: true });
  const real = await realpath(path);
  if ((await readdir(real)).length === 0) await chmod(real, modeOfNew());
  try {
    const lock = await takeLock(join(real, "lock"));
    return { path: real, close: () => lock.release() };
  } catch (failure) {
    if (!(failure instanceof Locked)) throw failure;
    throw new DataDirectoryInUse(
      `The data directory ${real} is in use by process ${failure.pid}. Stop that process, or set DATA_DIR to another directory.`,
    );
  }
}

/** Under root, Postgres runs as another user and must be able to pass through; every secret is a file of mode 600. */
function modeOfNew(): number {
  return process.getuid?.() === 0 ? 0o711 : 0o700;
}
