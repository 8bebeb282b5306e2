import { statfsSync } from "node:fs";

/** The free space of a disk, of which a reserve is kept: LMDB can end the process when a commit meets a full disk. */
export interface FreeSpace {
  /** Whether the reserve is left when `bytes` more are written. */
  hasRoomFor(bytes: number): boolean;
}

/** How long a reading is used; what was written meanwhile is subtracted from it. */
const readAgainMs = 200;
/** Space that a value takes in LMDB, with its page and the pages above it. */
const growth = 4;

/** @param freeBytes reads the space that this process may use */
export function watchFreeSpace(
  directory: string,
  reserveBytes: number,
  freeBytes: (directory: string) => number = availableBytes,
): FreeSpace {
  let left = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    hasRoomFor: (bytes) => {
      if (performance.now() - readAt >= readAgainMs) {
        left = freeBytes(directory) - reserveBytes;
        readAt = performance.now();
      }
      if (bytes * growth > left) return false;
      left -= bytes * growth;
      return true;
    },
  };
}

function availableBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
