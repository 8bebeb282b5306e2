import type { StreamName } from "../../domain/streams.ts";

/** What is kept in memory of a batch in the spool. */
export interface Entry {
  readonly stream: StreamName;
  readonly events: number;
  readonly bytes: number;
  readonly at: number;
}

export interface SpoolDepth {
  readonly batches: number;
  readonly events: number;
  /** Bytes on disk. */
  readonly bytes: number;
  /** When the oldest batch was written, in epoch milliseconds; null when none waits. */
  readonly oldestAt: number | null;
}

/** The batches in the spool, by number. */
interface SpoolEntries {
  /** Adds a batch, or replaces the one with its number. */
  put(number: number, entry: Entry): void;
  drop(number: number): void;
  streamOf(number: number): StreamName | undefined;
  holds(stream: StreamName): boolean;
  isEmpty(): boolean;
  streams(): readonly StreamName[];
  bytes(): number;
  depth(): SpoolDepth;
}

export function spoolEntries(): SpoolEntries {
  const entries = new Map<number, Entry>();
  /** Number of batches of each stream. */
  const batches = new Map<StreamName, number>();
  let events = 0;
  let bytes = 0;

  function drop(number: number): void {
    const entry = entries.get(number);
    if (entry === undefined) return;
    entries.delete(number);
    const left = (batches.get(entry.stream) ?? 0) - 1;
    if (left > 0) batches.set(entry.stream, left);
    else batches.delete(entry.stream);
    events -= entry.events;
    bytes -= entry.bytes;
  }

  return {
    put(number, entry) {
      drop(number);
      entries.set(number, entry);
      batches.set(entry.stream, (batches.get(entry.stream) ?? 0) + 1);
      events += entry.events;
      bytes += entry.bytes;
    },
    drop,
    streamOf: (number) => entries.get(number)?.stream,
    holds: (stream) => batches.has(stream),
    isEmpty: () => entries.size === 0,
    streams: () => [...batches.keys()],
    bytes: () => bytes,
    depth: () => ({ batches: entries.size, events, bytes, oldestAt: oldestOf(entries) }),
  };
}

/** Not always the first entry: a moved batch is inserted again at the end. */
function oldestOf(entries: ReadonlyMap<number, Entry>): number | null {
  let oldest: number | null = null;
  for (const { at } of entries.values()) if (oldest === null || at < oldest) oldest = at;
  return oldest;
}
