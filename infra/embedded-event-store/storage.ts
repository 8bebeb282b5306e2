import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { type Database, open, type RootDatabase } from "lmdb";
import { DataDirectoryUnusable } from "../data-directory/data-directory.ts";
import { commitFailure, durableCommits } from "../data-directory/durable-commits.ts";
import { type EncodedEvent, storedEventData } from "./stored-event.ts";
import { effectiveMetadata, metadataStreamOf, readMetadata, type StreamMetadata } from "./stream-metadata.ts";

/** State of one stream. `number` identifies it in the index of runs. */
export interface StreamState {
  /** 0 for a stream that was closed without ever having had an event. */
  readonly number: number;
  /** Revision of its last event; -1 when it never had one. */
  readonly lastRevision: number;
  /** Position of the tombstone; null while the stream is open. */
  readonly tombstone: number | null;
  /** Null when none were ever set. */
  readonly metadata: StreamMetadata | null;
}

/** Events of one append: consecutive in their stream and in the log, so one entry of the index finds them all. */
export interface Run {
  readonly stream: number;
  readonly firstRevision: number;
  readonly firstPosition: number;
  readonly count: number;
}

/** The changes of one commit. */
export interface Changes {
  readonly events: readonly EncodedEvent[];
  readonly runs: readonly Run[];
  readonly streams: ReadonlyMap<string, StreamState>;
}

/** NOTE storage format: raise with every change of what is stored, and of the field order in `stored-event.ts`. */
const storageFormat = "touchledger event store, format 3";

type StreamKey = string | [string, string];
/** [firstPosition, count] */
type RunValue = [number, number];
/** [number, lastRevision, tombstone, metadata when there are any] */
type StreamValue = [number, number, number | null, MetadataValue?];
/** [position, truncateBefore, maxCount, maxAge] */
type MetadataValue = [number, number, number | null, number | null];

/** The bytes of an event are not those that were written. */
export class DamagedEvent extends Error {
  override readonly name = "DamagedEvent";
  constructor(position: number) {
    super(`the event at position ${position} is damaged: restore a backup of the event store`);
  }
}

const checksumLength = 4;

/**
 * Events by position, each with a checksum, and an index of streams, in one LMDB environment. Commits are atomic and on disk
 * (`fdatasync`) when {@link Storage.commit} resolves; readers never see more than that.
 */
export class Storage {
  private readonly root: RootDatabase<unknown, string>;
  private readonly events: Database<Buffer, number>;
  private readonly streams: Database<StreamValue, StreamKey>;
  private readonly runs: Database<RunValue, [number, number]>;
  private lastPosition: number;
  private lastStreamNumber: number;
  /** Whether the file may be ahead of `lastPosition`: while a commit is under way, and where another process writes. */
  private mayBeAhead: boolean;

  /**
   * Opens or creates the store; for reading alone, also one that another process runs. Throws when the directory holds
   * another format.
   */
  constructor(directory: string, { readOnly = false } = {}) {
    this.root = open<unknown, string>({
      path: directory,
      // Also where its name has an extension.
      noSubdir: false,
      maxDbs: 4,
      readOnly,
      encoding: "json",
      ...durableCommits,
    });
    this.mayBeAhead = readOnly;
    const format = this.root.get("format") ?? null;
    if (format !== null && format !== storageFormat)
      throw new DataDirectoryUnusable(
        `${directory} holds "${format}", this version reads "${storageFormat}". Start the version that wrote it.`,
      );
    this.events = this.root.openDB<Buffer, number>({ name: "events", encoding: "binary" });
    this.streams = this.root.openDB<StreamValue, StreamKey>({ name: "streams", encoding: "json" });
    this.runs = this.root.openDB<RunValue, [number, number]>({ name: "runs", encoding: "json" });
    this.lastPosition = this.lastKey(this.events) ?? 0;
    this.lastStreamNumber = this.lastKey(this.runs)?.[0] ?? 0;
    if (!readOnly && format === null) this.root.putSync("format", storageFormat);
  }

  /** Position of the last event on disk; 0 when there is none. Positions are 1, 2, 3, ... without gaps. */
  get head(): number {
    return this.lastPosition;
  }

  /** A number for a new stream, never used before. */
  newStreamNumber(): number {
    this.lastStreamNumber += 1;
    return this.lastStreamNumber;
  }

  /** A stream as of a position at or below the head. */
  stream(name: string, head = this.lastPosition): StreamState | null {
    const value = this.streams.get(streamKey(name));
    if (value === undefined) return null;
    const [number, lastRevision, tombstone, metadata] = value;
    const state = { number, lastRevision, tombstone, metadata: effectiveMetadata(name, metadataOf(metadata)) };
    return this.mayBeAhead || head < this.lastPosition ? this.asOf(head, name, state) : state;
  }

  /** The event at a position at or below the head. */
  event(position: number): Buffer {
    const stored = position <= this.lastPosition ? this.events.get(position) : undefined;
    if (stored === undefined) throw new RangeError(`no event at position ${position}`);
    return this.checked(position, stored);
  }

  /** Events from `position` on, oldest first: at most `limit`, and no more than about `maxBytes`. */
  eventsFrom(position: number, limit: number, maxBytes: number): EncodedEvent[] {
    const end = Math.min(this.lastPosition, position + limit - 1);
    return this.page({ start: Math.max(1, position), end: end + 1 }, maxBytes);
  }

  /** Events from `position` down, newest first: at most `limit`, and no more than about `maxBytes`. */
  eventsDownFrom(position: number, limit: number, maxBytes: number): EncodedEvent[] {
    const start = Math.min(this.lastPosition, position);
    return start < 1 ? [] : this.page({ start, end: Math.max(0, start - limit), reverse: true }, maxBytes);
  }

  /** Position of an event of a stream, which must exist. */
  positionOf(stream: number, revision: number): number {
    const { firstRevision, firstPosition } = this.runAt(stream, revision);
    return firstPosition + revision - firstRevision;
  }

  /** The run that holds a revision; it must exist. */
  runAt(stream: number, revision: number): Run {
    const range = { start: [stream, revision] as [number, number], end: [stream - 1], reverse: true, limit: 1 };
    for (const { key, value } of this.runs.getRange(range)) {
      const run = { stream, firstRevision: key[1], firstPosition: value[0], count: value[1] };
      if (key[0] === stream && revision < run.firstRevision + run.count) return run;
    }
    throw new RangeError(`stream ${stream} has no revision ${revision}`);
  }

  /** Whether the index has a position of a revision. */
  hasRevision(stream: number, revision: number): boolean {
    try {
      this.runAt(stream, revision);
      return true;
    } catch {
      return false;
    }
  }

  /** Every stream of the index, by its {@link indexName}, also as of positions above the head. */
  *indexedStreams(): Generator<StreamState & { readonly name: string }> {
    for (const { key, value } of this.streams.getRange({})) {
      const [number, lastRevision, tombstone, metadata] = value;
      yield { name: nameOfKey(key), number, lastRevision, tombstone, metadata: metadataOf(metadata) };
    }
  }

  /** Every run of the index, also above the head. */
  *indexedRuns(): Generator<Run> {
    for (const { key, value } of this.runs.getRange({}))
      yield { stream: key[0], firstRevision: key[1], firstPosition: value[0], count: value[1] };
  }

  /**
   * Writes all changes, or none. Resolves when they are on disk. One commit at a time. Rejects when another process, which
   * has taken over the directory, has stored events of its own at their positions.
   */
  async commit(changes: Changes): Promise<void> {
    this.mayBeAhead = true;
    const nextPosition = this.lastPosition + 1;
    try {
      const commit = this.events.ifNoExists(nextPosition, () => {
        for (const event of changes.events) this.events.put(event.position, withChecksum(event));
        for (const run of changes.runs) this.runs.put([run.stream, run.firstRevision], [run.firstPosition, run.count]);
        for (const [name, state] of changes.streams) this.streams.put(streamKey(name), streamValue(state));
      });
      const isWritten = await commit.catch(async (error: unknown) => {
        throw await commitFailure(error);
      });
      if (!isWritten) throw new Error(`another process has written to this store, at position ${nextPosition}`);
      this.root.resetReadTxn();
      this.lastPosition = changes.events.at(-1)?.position ?? this.lastPosition;
    } finally {
      this.mayBeAhead = false;
    }
  }

  async close(): Promise<void> {
    await this.root.close();
  }

  /** @throws {DamagedEvent} */
  private checked(position: number, stored: Buffer): Buffer {
    const end = stored.length - checksumLength;
    const bytes = stored.subarray(0, Math.max(0, end));
    if (end < 0 || stored.readUInt32LE(end) !== checksumOf(position, bytes)) throw new DamagedEvent(position);
    return bytes;
  }

  /** Everything above `head` is left out: changes of a commit can be read a moment before it resolves. */
  private asOf(head: number, name: string, state: StreamState): StreamState | null {
    const { number, lastRevision, tombstone } = state;
    const closedAt = tombstone !== null && tombstone <= head ? tombstone : null;
    let revision = lastRevision;
    while (revision >= 0) {
      const { firstPosition, firstRevision } = this.runAt(number, revision);
      if (firstPosition <= head) break;
      revision = firstRevision - 1;
    }
    const metadata = (state.metadata?.position ?? 0) <= head ? state.metadata : this.metadataAsOf(head, name);
    if (revision < 0 && closedAt === null && metadata === null) return null;
    return { number, lastRevision: revision, tombstone: closedAt, metadata };
  }

  /** The metadata of a stream by the stream that holds them, as of a position at or below the head. */
  metadataAsOf(head: number, name: string): StreamMetadata | null {
    const stream = this.stream(metadataStreamOf(name), head);
    if (stream === null || stream.lastRevision < 0) return null;
    const position = this.positionOf(stream.number, stream.lastRevision);
    return readMetadata(position, storedEventData(this.event(position)));
  }

  private page(
    range: { readonly start: number; readonly end: number; readonly reverse?: boolean },
    maxBytes: number,
  ): EncodedEvent[] {
    const page: EncodedEvent[] = [];
    let bytes = 0;
    for (const { key, value } of this.events.getRange(range)) {
      page.push({ position: key, bytes: this.checked(key, value) });
      bytes += value.length;
      if (bytes >= maxBytes) break;
    }
    return page;
  }

  private lastKey<K extends number | [number, number]>(database: Database<unknown, K>): K | undefined {
    for (const key of database.getKeys({ reverse: true, limit: 1 })) return key;
    return undefined;
  }
}

function metadataOf(value: MetadataValue | undefined): StreamMetadata | null {
  if (value === undefined) return null;
  const [position, truncateBefore, maxCount, maxAge] = value;
  return { position, truncateBefore, maxCount, maxAge };
}

function streamValue({ number, lastRevision, tombstone, metadata }: StreamState): StreamValue {
  if (metadata === null) return [number, lastRevision, tombstone];
  const { position, truncateBefore, maxCount, maxAge } = metadata;
  return [number, lastRevision, tombstone, [position, truncateBefore, maxCount, maxAge]];
}

/** The position is part of it, so that events cannot be exchanged. */
function checksumOf(position: number, bytes: Buffer): number {
  return crc32(bytes, position % 2 ** 32);
}

function withChecksum({ position, bytes }: EncodedEvent): Buffer {
  const stored = Buffer.allocUnsafe(bytes.length + checksumLength);
  bytes.copy(stored);
  stored.writeUInt32LE(checksumOf(position, bytes), bytes.length);
  return stored;
}

const maxKeyLength = 500;

/** The name under which the index has a stream. */
export function indexName(stream: string): string {
  return nameOfKey(streamKey(stream));
}

function nameOfKey(key: StreamKey): string {
  return typeof key === "string" ? key : key.join(" ");
}

/**
 * LMDB limits the length of keys: a long name is stored under its hash, and so is one with U+0000, which separates the parts
 * of a key.
 */
function streamKey(name: string): StreamKey {
  if (name.length <= maxKeyLength && !name.includes("\0")) return name;
  return ["sha256", createHash("sha256").update(name).digest("hex")];
}
