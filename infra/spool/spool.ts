import { mkdirSync } from "node:fs";
import type { StreamName } from "../../domain/streams.ts";
import { watchFreeSpace } from "../data-directory/free-space.ts";
import { encodeBatch } from "./batch-content.ts";
import { createGroupCommit } from "./group-commit.ts";
import { type SpoolDepth, spoolEntries } from "./spool-entries.ts";
import {
  claim,
  moveBatches,
  oldestBatches,
  openEnvironment,
  type StoredBatch,
  storedEntries,
} from "./stored-batches.ts";

/**
 * Batches for the event log in an LMDB environment of its own, kept over restarts
 * (contract/tracking-links.md#durability).
 */
export interface Spool {
  /** Resolves when the batch is on disk. Rejects, with {@link SpoolFull} or an error of the disk, when it is not stored. */
  write(batch: Omit<StoredBatch, "number">): Promise<void>;
  holds(stream: StreamName): boolean;
  isEmpty(): boolean;
  /** Whether batches were removed within the last second. */
  isDraining(): boolean;
  streams(): readonly StreamName[];
  /** The oldest batches of a stream, in the order of writing: about 4 MiB at most, one at least. */
  oldest(stream: StreamName): readonly StoredBatch[];
  remove(batches: readonly Pick<StoredBatch, "number">[]): Promise<void>;
  /** Moves every batch of a stream to `to`, a stream without events: expected revisions start at `no_stream`. */
  move(stream: StreamName, to: StreamName): Promise<void>;
  depth(): SpoolDepth;
  close(): Promise<void>;
}

export interface SpoolOptions {
  readonly directory: string;
  /** Maximum bytes in the spool. */
  readonly limitBytes: number;
  /** Free space of the disk below which nothing is spooled, in bytes. */
  readonly reserveBytes?: number;
  /** Identity of the event log that the batches are written to. */
  readonly logId: string;
}

/** The batch does not fit below the limit of the spool, or on the disk. */
export class SpoolFull extends Error {
  override readonly name = "SpoolFull";
}

const drainingMs = 1_000;

/**
 * Opens or creates the spool.
 * @throws {SpoolOfAnotherLog} when its batches belong to another log
 */
export function openSpool({ directory, limitBytes, reserveBytes = 0, logId }: SpoolOptions): Spool {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const { root, stored } = openEnvironment(directory);
  const entries = spoolEntries();
  let lastNumber = 0;
  for (const [number, entry] of storedEntries(stored)) {
    entries.put(number, entry);
    lastNumber = number;
  }
  claim(root, directory, entries.depth(), logId);
  const commit = createGroupCommit(root);
  const disk = watchFreeSpace(directory, reserveBytes);
  let bytesInFlight = 0;
  let removedAt = Number.NEGATIVE_INFINITY;

  return {
    async write({ stream, expected, events }) {
      const at = Date.now();
      const value = encodeBatch({ at, expected, events });
      if (entries.bytes() + bytesInFlight + value.length > limitBytes) {
        throw new SpoolFull(`The spool is full: it holds ${entries.bytes()} bytes`);
      }
      if (!disk.hasRoomFor(value.length)) throw new SpoolFull("The disk of the spool is nearly full");
      lastNumber += 1;
      const number = lastNumber;
      bytesInFlight += value.length;
      try {
        await commit(
          () => stored.put([stream, number], value),
          () => entries.put(number, { stream, events: events.length, bytes: value.length, at }),
        );
      } finally {
        bytesInFlight -= value.length;
      }
    },
    holds: entries.holds,
    isEmpty: entries.isEmpty,
    isDraining: () => performance.now() - removedAt < drainingMs,
    streams: entries.streams,
    oldest: (stream) => oldestBatches(stored, stream),
    async remove(batches) {
      const keys = batches.map(({ number }) => ({ number, stream: entries.streamOf(number) }));
      await commit(
        () => {
          for (const { number, stream } of keys) if (stream !== undefined) stored.remove([stream, number]);
        },
        () => {
          for (const { number } of keys) entries.drop(number);
          removedAt = performance.now();
        },
      );
    },
    async move(stream, to) {
      let moved: ReturnType<typeof moveBatches> = [];
      await commit(
        () => {
          moved = moveBatches(stored, stream, to);
        },
        () => {
          for (const [number, entry] of moved) entries.put(number, entry);
        },
      );
    },
    depth: entries.depth,
    close: () => root.close(),
  };
}
