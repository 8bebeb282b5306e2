import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DataDirectoryUnusable } from "../../data-directory/data-directory.ts";
import { type LmdbFile, makeWhole, requireWhole } from "../../data-directory/lmdb-file.ts";
import { runInChildProcess } from "../../data-directory/run-in-child-process.ts";
import { certificateFile } from "../certificate.ts";
import type { CheckMessage, StoreCheck } from "./check-store.ts";

const checkProgram = new URL("./check-store-child.js", import.meta.url);

/**
 * Refuses a store whose file was cut short. Changes nothing, so that another process may run the store.
 * @throws {DataDirectoryUnusable}
 */
export const requireWholeStore = (directory: string): Promise<void> => requireWhole(storeFile(directory));

/**
 * As {@link requireWholeStore}, and makes the file whole. A store that has run is not begun anew where its file is gone or
 * empty. The caller holds the lock of the directory.
 * @throws {DataDirectoryUnusable}
 */
export async function makeStoreWhole(directory: string): Promise<void> {
  const { size } = await stat(join(directory, "data.mdb")).catch(() => ({ size: 0 }));
  // The certificate is made after the file.
  if (size === 0 && existsSync(join(directory, certificateFile))) throw storeFile(directory).damaged("is empty");
  await makeWhole(storeFile(directory));
}

/**
 * `checkStore` in a process of its own: damaged pages of LMDB can end the process that reads them.
 * @throws {DataDirectoryUnusable} when they do, or when the store has another format
 */
export async function checkStoreApart(
  directory: string,
  onShare: (share: number) => void = () => {},
): Promise<StoreCheck> {
  const ended = await runInChildProcess<CheckMessage>(checkProgram, [directory], ({ share = 0 }) => onShare(share));
  if ("failure" in ended) throw storeFile(directory).damaged(`cannot be read: ${ended.failure}`);
  const { check, unusable } = ended.result;
  if (unusable !== undefined) throw new DataDirectoryUnusable(unusable);
  if (check === undefined) throw storeFile(directory).damaged("cannot be read");
  return check;
}

const storeFile = (directory: string): LmdbFile => ({
  directory,
  unreadable: async () => {
    const { faults } = await checkStoreApart(directory).catch((failure: Error) => ({
      faults: [{ reason: failure.message }],
    }));
    return faults[0]?.reason ?? null;
  },
  damaged: (reason) =>
    new DataDirectoryUnusable(
      `The event store in ${directory} is damaged: its file ${reason}. Restore a backup into another DATA_DIR.`,
    ),
});
