import { mkdirSync } from "node:fs";
import { crc32 } from "node:zlib";
import { type Database, type Key, open, type RootDatabase } from "lmdb";
import type { StreamName } from "../../domain/streams.ts";
import { durableCommits } from "../data-directory/durable-commits.ts";
import { watchFreeSpace } from "../data-directory/free-space.ts";
import type { EventToAppend, ExpectedRevision } from "../event-log/event-log.ts";
import { createGroupCommit } from "./group-commit.ts";

/** A batch of events with its stream and expected revision. `number` orders the batches of the spool. */
interface StoredBatch {
  readonly number: number;
  readonly stream: StreamName;
  readonly expected: ExpectedRevision;
  readonly events: readonly EventToAppend[];
}

interface SpoolDepth {
  readonly batches: number;
  readonly events: number;
  /** Bytes on disk. */
  readonly bytes: number;
  /** When the oldest batch was written, in epoch milliseconds; null when none waits. */
  readonly oldestAt: number | null;
}

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

/** The batches in the spool belong to another event log. */
export class SpoolOfAnotherLog extends Error {
  override readonly name = "SpoolOfAnotherLog";
}

interface Entry {
  readonly stream: StreamName;
  readonly events: number;
  readonly bytes: number;
  readonly at: number;
}

/** NOTE storage format: raise with every change of what is stored. */
const format = "touchledger spool, format 2";
const maxPageBytes = 4 * 1024 * 1024;
const maxPageBatches = 512;
const drainingMs = 1_000;

/** The directory holds batches of another version's spool. */
export class SpoolOfAnotherVersion extends Error {
  override readonly name = "SpoolOfAnotherVersion";
}

function openEnvironment(directory: string) {
  const root: RootDatabase<unknown, string> = open({ path: directory, maxDbs: 2, encoding: "json", ...durableCommits });
  // Before LMDB creates a database that it cannot find in a damaged file.
  requireComplete(root);
  const stored = root.openDB<Buffer, [StreamName, number]>({ name: "batches", encoding: "binary" });
  const found = root.get("format") ?? format;
  if (found !== format && stored.getKeysCount() > 0) {
    throw new SpoolOfAnotherVersion(
      `${directory} holds "${found}", this version reads "${format}". Run the version that wrote it until its clicks are in the log.`,
    );
  }
  return { root, stored };
}

/** Throws when fewer entries can be read than are counted: a damaged page can look like an empty one. */
function requireComplete(database: Database<unknown, Key>): void {
  const { entryCount } = database.getStats() as { readonly entryCount: number };
  const found = database.getKeysCount();
  if (found !== entryCount) throw new Error(`${found} of ${entryCount} entries are found`);
}

/**
 * Reads every batch of a spool that no process has open, and commits changes, which read the lists of free pages.
 * Throws when a checksum is wrong; damaged pages can crash the process.
 */
export function probeSpool(directory: string): void {
  const { root, stored } = openEnvironment(directory);
  requireComplete(stored);
  storedEntries(stored);
  root.resetReadTxn();
  for (let commit = 0; commit < probeCommits; commit += 1) root.putSync("probe", "x".repeat(probeLength));
  root.removeSync("probe");
}

/** The pages that a commit frees are reused two commits later. */
const probeCommits = 3;
/** Takes several pages. */
const probeLength = 20_000;

/**
 * Opens or creates the spool.
 * @throws {SpoolOfAnotherLog} when its batches belong to another log
 */
export function openSpool({ directory, limitBytes, reserveBytes = 0, logId }: SpoolOptions): Spool {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const { root, stored } = openEnvironment(directory);
  const entries = new Map<number, Entry>();
  const waiting = new Map<StreamName, number>();
  let events = 0;
  let bytes = 0;
  let bytesInFlight = 0;
  let removedAt = Number.NEGATIVE_INFINITY;
  const commit = createGroupCommit(root);
  const disk = watchFreeSpace(directory, reserveBytes);

  function put(number: number, entry: Entry): void {
    entries.set(number, entry);
    waiting.set(entry.stream, (waiting.get(entry.stream) ?? 0) + 1);
    events += entry.events;
    bytes += entry.bytes;
  }

  function drop(number: number): void {
    const entry = entries.get(number);
    if (entry === undefined) return;
    entries.delete(number);
    const left = (waiting.get(entry.stream) ?? 0) - 1;
    if (left > 0) waiting.set(entry.stream, left);
    else waiting.delete(entry.stream);
    events -= entry.events;
    bytes -= entry.bytes;
  }

  for (const [number, entry] of storedEntries(stored)) put(number, entry);
  let lastNumber = Math.max(0, ...[...entries.keys()].slice(-1));
  claim(logId);

  function claim(ours: string): void {
    const owner = root.get("logId");
    if (entries.size > 0 && owner !== ours) {
      throw new SpoolOfAnotherLog(
        `${directory} holds ${events} clicks for event log ${owner}, but this is log ${ours}. ` +
          "Start once with the event log that they belong to, or move the directory away to give them up.",
      );
    }
    if (owner === ours && root.get("format") === format) return;
    root.putSync("format", format);
    root.putSync("logId", ours);
  }

  return {
    async write({ stream, expected, events: written }) {
      const at = Date.now();
      const value = encodeBatch({ at, expected, events: written });
      if (bytes + bytesInFlight + value.length > limitBytes) {
        throw new SpoolFull(`The spool is full: it holds ${bytes} bytes`);
      }
      if (!disk.hasRoomFor(value.length)) throw new SpoolFull("The disk of the spool is nearly full");
      lastNumber += 1;
      const number = lastNumber;
      bytesInFlight += value.length;
      try {
        await commit(
          () => stored.put([stream, number], value),
          () => put(number, { stream, events: written.length, bytes: value.length, at }),
        );
      } finally {
        bytesInFlight -= value.length;
      }
    },
    holds: (stream) => waiting.has(stream),
    isEmpty: () => entries.size === 0,
    isDraining: () => performance.now() - removedAt < drainingMs,
    streams: () => [...waiting.keys()],
    oldest(stream) {
      const page: StoredBatch[] = [];
      let pageBytes = 0;
      for (const { key, value } of stored.getRange({ ...ofStream(stream), limit: maxPageBatches })) {
        const { expected, events: batch } = decodeBatch(value);
        page.push({ number: key[1], stream, expected, events: batch });
        pageBytes += value.length;
        if (pageBytes >= maxPageBytes) break;
      }
      return page;
    },
    async remove(batches) {
      const entriesToRemove = batches.map(({ number }) => ({ number, stream: entries.get(number)?.stream }));
      await commit(
        () => {
          for (const { number, stream } of entriesToRemove) if (stream !== undefined) stored.remove([stream, number]);
        },
        () => {
          for (const { number } of entriesToRemove) drop(number);
          removedAt = performance.now();
        },
      );
    },
    async move(stream, to) {
      const moved = new Map<number, Entry>();
      await commit(
        () => {
          let expected: ExpectedRevision = "no_stream";
          for (const { key, value } of [...stored.getRange(ofStream(stream))]) {
            const batch = decodeBatch(value);
            const again = encodeBatch({ ...batch, expected });
            const count = batch.events.length;
            stored.put([to, key[1]], again);
            stored.remove(key);
            moved.set(key[1], { stream: to, events: count, bytes: again.length, at: batch.at });
            expected = (expected === "no_stream" ? -1n : expected) + BigInt(count);
          }
        },
        () => {
          for (const [number, entry] of moved) {
            drop(number);
            put(number, entry);
          }
        },
      );
    },
    depth: () => ({ batches: entries.size, events, bytes, oldestAt: oldestOf(entries) }),
    close: () => root.close(),
  };
}

function ofStream(stream: StreamName): { readonly start: [StreamName, number]; readonly end: [StreamName, number] } {
  return { start: [stream, 0], end: [stream, Number.MAX_SAFE_INTEGER] };
}

/** Batches of an earlier process, in the order of writing. */
function storedEntries(stored: Database<Buffer, [StreamName, number]>): readonly (readonly [number, Entry])[] {
  const found: (readonly [number, Entry])[] = [];
  for (const { key, value } of stored.getRange()) {
    const { at, events } = decodeBatch(value);
    found.push([key[1], { stream: key[0], events: events.length, bytes: value.length, at }]);
  }
  return found.sort(([one], [other]) => one - other);
}

/** Not always the first entry: a moved batch is inserted again at the end. */
function oldestOf(entries: ReadonlyMap<number, Entry>): number | null {
  let oldest: number | null = null;
  for (const { at } of entries.values()) if (oldest === null || at < oldest) oldest = at;
  return oldest;
}

/** The stored value of a batch; its key is its stream and number. */
interface BatchContent {
  /** When it was spooled, in epoch milliseconds. */
  readonly at: number;
  readonly expected: ExpectedRevision;
  readonly events: readonly EventToAppend[];
}

interface StoredContent {
  readonly at: number;
  readonly expected: string;
  readonly events: readonly EventToAppend[];
}

const checksumBytes = 4;

/** NOTE storage format: JSON and its CRC-32. Throws for events whose data are bytes. */
export function encodeBatch({ at, expected, events }: BatchContent): Buffer {
  for (const { type, data } of events) {
    if (data instanceof Uint8Array) throw new TypeError(`the spool stores JSON events only, not the bytes of ${type}`);
  }
  const content: StoredContent = { at, expected: expected.toString(), events };
  const json = Buffer.from(JSON.stringify(content));
  const checksum = Buffer.alloc(checksumBytes);
  checksum.writeUInt32LE(crc32(json));
  return Buffer.concat([json, checksum]);
}

function decodeBatch(bytes: Buffer): BatchContent {
  const end = Math.max(0, bytes.length - checksumBytes);
  const json = bytes.subarray(0, end);
  if (end === 0 || bytes.readUInt32LE(end) !== crc32(json)) throw new Error("a batch of the spool is damaged");
  const { at, expected, events } = JSON.parse(json.toString()) as StoredContent;
  return { at, expected: expected === "no_stream" ? expected : BigInt(expected), events };
}
