import { isDeepStrictEqual } from "node:util";
import { everyNth } from "../../data-directory/every-nth.ts";
import { Storage } from "../storage.ts";
import { storedRevision, storedStreamName } from "../stored-event.ts";
import { describedStream, effectiveMetadata } from "../stream-metadata.ts";
import { indexEntryFaults } from "./check-index.ts";

/** The result of a check of a store. */
export interface StoreCheck {
  /** Position of the last event; 0 when there is none. */
  readonly head: number;
  /** The first faults, in the order of the log; empty when the store is sound. */
  readonly faults: readonly { readonly position: number; readonly reason: string }[];
}

/** Messages of the process that checks a store; the result is the last one. */
export interface CheckMessage {
  readonly share?: number;
  readonly check?: StoreCheck;
  /** Why this version does not read the store. */
  readonly unusable?: string;
}

const maxFaults = 100;
/** Events, or entries of the index, between two reports of progress. */
const reportInterval = 1_000;

/**
 * Reads every event of the store in `directory`, also while another process runs it: its checksum, that no position is
 * missing, that the revisions of each stream follow each other, and that the index of streams says the same. A lost last
 * event leaves no gap: it is found as an index entry beyond the last event.
 * @param onShare called with the share that is done, from 0 to 1; often enough to show that the check goes on
 */
export async function checkStore(directory: string, onShare: (share: number) => void): Promise<StoreCheck> {
  const storage = new Storage(directory, { readOnly: true });
  const faults: { position: number; reason: string }[] = [];
  const revisions = new Map<string, number>();
  try {
    const { head } = storage;
    const ofIndex = indexEntryFaults(
      storage,
      everyNth(reportInterval, () => onShare(0)),
    );
    for (let position = 1; position <= head && faults.length < maxFaults; position += 1) {
      const reason = faultAt(storage, position, revisions);
      if (reason !== null) faults.push({ position, reason });
      if (position % reportInterval !== 0 && position !== head) continue;
      onShare(position / head);
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const [position, reason] of ofIndex)
      if (faults.every((fault) => fault.position !== position)) faults.push({ position, reason });
    if (faults.length === 0)
      faults.push(
        ...indexFaults(
          storage,
          head,
          revisions,
          everyNth(reportInterval, () => onShare(1)),
        ),
      );
    return { head, faults: faults.sort((a, b) => a.position - b.position).slice(0, maxFaults) };
  } finally {
    await storage.close();
  }
}

function faultAt(storage: Storage, position: number, revisions: Map<string, number>): string | null {
  try {
    const bytes = storage.event(position);
    const revision = storedRevision(bytes);
    const stream = storedStreamName(bytes).toString();
    if (revision === null) return null;
    const expected = (revisions.get(stream) ?? -1) + 1;
    revisions.set(stream, revision);
    if (revision !== expected) return `revision ${revision} of ${stream} was found where ${expected} is expected`;
    const { number } = storage.stream(stream) ?? { number: 0 };
    const indexed = storage.positionOf(number, revision);
    return indexed === position ? null : `the index has revision ${revision} of ${stream} at ${indexed}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function indexFaults(
  storage: Storage,
  head: number,
  revisions: ReadonlyMap<string, number>,
  onStream: () => void,
): StoreCheck["faults"] {
  const described = [...revisions.keys()].flatMap((name) => describedStream(name) ?? []);
  return [...new Set([...revisions.keys(), ...described])]
    .flatMap((name) => {
      onStream();
      return indexFault(storage, head, name, revisions.get(name) ?? -1) ?? [];
    })
    .slice(0, maxFaults)
    .map((reason) => ({ position: head, reason }));
}

function indexFault(storage: Storage, head: number, name: string, revision: number): string | null {
  const { lastRevision = -1, metadata = null } = storage.stream(name, head) ?? {};
  if (lastRevision !== revision) return `the index ends ${name} at revision ${lastRevision}, its events at ${revision}`;
  const stored = effectiveMetadata(name, storage.metadataAsOf(head, name));
  return isDeepStrictEqual(metadata, stored) ? null : `the index has other metadata of ${name} than its events`;
}
