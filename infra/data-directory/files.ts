import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** The text of a file; null when there is none. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (failure) {
    if (errorCode(failure) === "ENOENT") return null;
    throw failure;
  }
}

/** Waits until the contents of a file are on disk. */
export async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  await file.sync().finally(() => file.close());
}

/** Waits until the names in a directory are on disk, where the file system can do that. */
export async function syncNames(directory: string): Promise<void> {
  await sync(directory).catch((failure: unknown) => {
    // As Postgres does: some file systems do not synchronise directories.
    if (!["EACCES", "EBADF", "EINVAL", "EISDIR"].includes(errorCode(failure) ?? "")) throw failure;
  });
}

/** Writes a file that only its owner can read, atomically; it is on disk when the promise resolves. */
export async function writePrivately(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${randomUUID()}`;
  try {
    const file = await open(unfinished, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
    await syncNames(dirname(path));
  } catch (failure) {
    await rm(unfinished, { force: true });
    throw failure;
  }
}

/** The system's code of a failed call (`ENOENT`, `EEXIST`, ...). */
export function errorCode(failure: unknown): string | undefined {
  return failure instanceof Error && "code" in failure && typeof failure.code === "string" ? failure.code : undefined;
}
