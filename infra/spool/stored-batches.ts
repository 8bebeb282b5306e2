import { type Database, type Key, open, type RootDatabase } from "lmdb";
import type { StreamName } from "../../domain/streams.ts";
import { durableCommits } from "../data-directory/durable-commits.ts";
import { type FreeSpace, watchFreeSpace } from "../data-directory/free-space.ts";
import { type EventToAppend, type ExpectedRevision, revisionAfter } from "../event-log/event-log.ts";
import { decodeBatch, encodeBatch } from "./batch-content.ts";
import type { Entry, SpoolDepth } from "./spool-entries.ts";

/** A batch of events with its stream and expected revision. `number` orders the batches of the spool. */
export interface StoredBatch {
  readonly number: number;
  readonly stream: StreamName;
  readonly expected: ExpectedRevision;
  readonly events: readonly EventToAppend[];
}

type StoredBatches = Database<Buffer, [StreamName, number]>;
type NumberedEntry = readonly [number: number, Entry];

/** NOTE storage format: raise with every change of what is stored. */
const format = "touchledger spool, format 2";
const maxPageBytes = 4 * 1024 * 1024;
const maxPageBatches = 512;

/** The batches in the spool belong to another event log. */
export class SpoolOfAnotherLog extends Error {
  override readonly name = "SpoolOfAnotherLog";
}

/** The directory holds batches of another version's spool. */
export class SpoolOfAnotherVersion extends Error {
  override readonly name = "SpoolOfAnotherVersion";
}

/** Opens or creates the environment. */
export function openEnvironment(directory: string) {
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
 * Makes the spool that of an event log.
 * @throws {SpoolOfAnotherLog} when it holds batches of another one
 */
export function claim(root: RootDatabase<unknown, string>, directory: string, held: SpoolDepth, logId: string): void {
  const owner = root.get("logId");
  if (held.batches > 0 && owner !== logId) {
    throw new SpoolOfAnotherLog(
      `${directory} holds ${held.events} clicks for event log ${owner}, but this is log ${logId}. ` +
        "Start once with the event log that they belong to, or move the directory away to give them up.",
    );
  }
  if (owner === logId && root.get("format") === format) return;
  root.putSync("format", format);
  root.putSync("logId", logId);
}

/** All batches, in the order of writing. */
export function storedEntries(stored: StoredBatches, onBatch: () => void = () => {}): readonly NumberedEntry[] {
  const found: NumberedEntry[] = [];
  for (const { key, value } of stored.getRange()) {
    onBatch();
    const { at, events } = decodeBatch(value);
    found.push([key[1], { stream: key[0], events: events.length, bytes: value.length, at }]);
  }
  return found.sort(([one], [other]) => one - other);
}

/** The oldest batches of a stream: at most 512, about 4 MiB at most, one at least. */
export function oldestBatches(stored: StoredBatches, stream: StreamName): readonly StoredBatch[] {
  const page: StoredBatch[] = [];
  let pageBytes = 0;
  for (const { key, value } of stored.getRange({ ...ofStream(stream), limit: maxPageBatches })) {
    const { expected, events } = decodeBatch(value);
    page.push({ number: key[1], stream, expected, events });
    pageBytes += value.length;
    if (pageBytes >= maxPageBytes) break;
  }
  return page;
}

/** Moves the batches of a stream to `to`, whose first one then expects no stream. Returns the moved ones. */
export function moveBatches(stored: StoredBatches, stream: StreamName, to: StreamName): readonly NumberedEntry[] {
  let expected: ExpectedRevision = "no_stream";
  const moved: NumberedEntry[] = [];
  for (const { key, value } of [...stored.getRange(ofStream(stream))]) {
    const [, number] = key;
    const { at, events } = decodeBatch(value);
    const again = encodeBatch({ at, expected, events });
    stored.put([to, number], again);
    stored.remove(key);
    moved.push([number, { stream: to, events: events.length, bytes: again.length, at }]);
    expected = revisionAfter(expected, events.length);
  }
  return moved;
}

function ofStream(stream: StreamName): { readonly start: [StreamName, number]; readonly end: [StreamName, number] } {
  return { start: [stream, 0], end: [stream, Number.MAX_SAFE_INTEGER] };
}

/**
 * Reads every batch of a spool that no process has open, and commits changes, as a commit reads the lists of free pages.
 * On a full disk it commits nothing. Throws when a checksum is wrong; damaged pages can crash the process.
 * @param onBatch called for each batch
 */
export function probeSpool(
  directory: string,
  onBatch: () => void,
  disk: FreeSpace = watchFreeSpace(directory, 0),
): void {
  const { root, stored } = openEnvironment(directory);
  requireComplete(stored);
  storedEntries(stored, onBatch);
  root.resetReadTxn();
  if (!disk.hasRoomFor(probeCommits * probeLength)) return;
  for (let commit = 0; commit < probeCommits; commit += 1) root.putSync("probe", "x".repeat(probeLength));
  root.removeSync("probe");
}

/** The pages that a commit frees are reused two commits later. */
const probeCommits = 3;
/** Takes several pages. */
const probeLength = 20_000;
