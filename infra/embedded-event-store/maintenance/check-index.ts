import { indexName, type Run, type Storage } from "../storage.ts";
import { storedRevision, storedStreamName } from "../stored-event.ts";
import { describedStream } from "../stream-metadata.ts";

/**
 * Index entries without their event, by position: beyond the last event, or of another event than the index says.
 * Damaged events are left out. Synchronous, directly after the store was opened: all of it is read in one transaction.
 * @param onEntry called for each entry of the index
 */
export function indexEntryFaults(storage: Storage, onEntry: () => void): ReadonlyMap<number, string> {
  const faults = new Map<number, string>();
  const names = new Map<number, string>();

  const compare = (position: number, expected: string): void => {
    const found = position > storage.head ? null : storedAt(storage, position);
    if (found === undefined || found === expected || faults.has(position)) return;
    faults.set(position, `the index has ${expected} here, the log ${found ?? "no event"}`);
  };
  const compareRun = ({ stream, firstRevision, firstPosition, count }: Run): void => {
    const name = names.get(stream) ?? `stream number ${stream}`;
    // Only the ends of a run are compared: the check of the events finds gaps and duplicates between them.
    for (const place of new Set([0, count - 1]))
      compare(firstPosition + place, revisionOf(name, firstRevision + place));
  };

  for (const { name, number, lastRevision, tombstone, metadata } of storage.indexedStreams()) {
    onEntry();
    if (number > 0) names.set(number, name);
    if (tombstone !== null) compare(tombstone, revisionOf(name, null));
    if (metadata !== null && !hasMetadataOf(storage, metadata.position, name))
      faults.set(metadata.position, `the index has metadata of ${name} here, the log has not`);
    if (lastRevision >= 0 && !storage.hasRevision(number, lastRevision))
      faults.set(storage.head, `the index ends ${name} at revision ${lastRevision}, but has no position of it`);
  }
  for (const run of storage.indexedRuns()) {
    onEntry();
    compareRun(run);
  }
  return faults;
}

/** The event at a position, as a text; undefined for one that cannot be read, which the check of the events names. */
function storedAt(storage: Storage, position: number): string | undefined {
  const bytes = readable(storage, position);
  return bytes && revisionOf(indexName(storedStreamName(bytes).toString()), storedRevision(bytes));
}

function hasMetadataOf(storage: Storage, position: number, name: string): boolean {
  if (position > storage.head) return false;
  const bytes = readable(storage, position);
  if (bytes === undefined) return true;
  const described = describedStream(storedStreamName(bytes).toString());
  return described !== null && indexName(described) === name;
}

function readable(storage: Storage, position: number): Buffer | undefined {
  try {
    return storage.event(position);
  } catch {
    return undefined;
  }
}

/** `revision` is null for the event that closes a stream. */
function revisionOf(name: string, revision: number | null): string {
  return revision === null ? `the end of ${name}` : `revision ${revision} of ${name}`;
}
