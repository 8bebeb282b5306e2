import type { EventMetadata, LogPosition } from "../../domain/event.ts";
import type { Category } from "../../domain/event-catalogue.ts";
import { appEventJournal, contextCallJournal, type StreamName, touchpointJournal } from "../../domain/streams.ts";
import { AppendTooLarge, type EventLog, type EventToAppend, maxAppendEvents } from "../../infra/event-log/event-log.ts";
import { type JournalStream, type LogStreamSettings, newWriterId, openLogStream } from "./journal-stream.ts";
import { type JournalWriter, openJournalWriter } from "./journal-writer.ts";

/** Key of a journal: each process has one stream per app and category. */
export interface Journal {
  readonly category: Extract<Category, "touchpoints" | "appEvents" | "contextCalls">;
  readonly appId: number;
}

const streamNames: { readonly [category in Journal["category"]]: (appId: number, writer: string) => StreamName } = {
  touchpoints: touchpointJournal,
  appEvents: appEventJournal,
  contextCalls: contextCallJournal,
};

export interface JournalDepth {
  /** Journals in memory. */
  readonly journals: number;
  /** Events queued or in flight, over all journals. */
  readonly events: number;
  /** Their encoded bytes. */
  readonly bytes: number;
}

/**
 * The writer journals of this process: high-volume facts go to streams that only this process writes, so it always
 * knows the revision and may retry a batch. A call resolves when its events are on disk, and rejects with
 * {@link JournalFull} (nothing written), `AppendTooLarge` (nothing written) or `EventLogUnavailable` (some events may
 * be written, now or later: retry with the same ids).
 */
export interface Journals<Place = LogPosition> {
  append(journal: Journal, event: EventToAppend): Promise<{ readonly position: Place }>;
  /** Appends at least one event, in order; resolves with the position of the last. */
  appendMany(journal: Journal, events: readonly EventToAppend[]): Promise<{ readonly position: Place }>;
  /** Resolves when no event is queued or in flight. */
  drain(): Promise<void>;
  depth(): JournalDepth;
}

export interface JournalLimits {
  /** Maximum events of one batch (default 500, the limit of the log). */
  readonly maxBatchEvents?: number;
  /** Maximum events queued in one journal (default 20,000). */
  readonly maxWaitingEvents?: number;
  /** Maximum bytes queued in all journals together (default 64 MiB). */
  readonly maxWaitingBytes?: number;
  /**
   * Maximum journals in memory, of 2 KB each; beyond it the least recently used idle ones are evicted, and open a new
   * stream when they are used again (default 10,000).
   */
  readonly maxJournals?: number;
}

export type JournalOptions = JournalLimits & Partial<LogStreamSettings>;

/** The queue is full; no event of the call was accepted. */
export class JournalFull extends Error {
  override readonly name = "JournalFull";
}

/** Journals that append to the log. Defaults: retries for 10 s, initial backoff of 50 ms. */
export function createJournals(log: EventLog, options: JournalOptions = {}): Journals {
  const { retryForMs = 10_000, initialBackoffMs = 50, newWriter = newWriterId, startsNextTurn = false } = options;
  const settings = { retryForMs, initialBackoffMs, newWriter, startsNextTurn };
  return journalsOver((nameStream) => openLogStream(log, nameStream, settings), options);
}

/** Maximum encoded bytes of one batch, and so of one event. */
export const maxBatchBytes = 900 * 1024;

/** Journals whose batches go to streams opened by `openStream`, one for each journal. */
export function journalsOver<Place>(
  openStream: (nameStream: (writer: string) => StreamName) => JournalStream<Place>,
  limits: JournalLimits,
): Journals<Place> {
  const { maxBatchEvents = maxAppendEvents, maxJournals = 10_000 } = limits;
  const { maxWaitingEvents = 20_000, maxWaitingBytes = 64 * 1024 * 1024 } = limits;
  const writers = new Map<string, JournalWriter<Place>>();
  let events = 0;
  let bytes = 0;

  function released(releasedEvents: number, releasedBytes: number): void {
    events -= releasedEvents;
    bytes -= releasedBytes;
  }

  /** The journal's writer, moved to the end of the Map: its order is that of the last use. */
  function writerOf({ category, appId }: Journal): JournalWriter<Place> {
    const key = `${category}/${appId}`;
    const nameOf = streamNames[category];
    const open = (): JournalWriter<Place> =>
      openJournalWriter(
        openStream((id) => nameOf(appId, id)),
        { maxBatchEvents, maxBatchBytes },
        released,
      );
    const writer = writers.get(key) ?? open();
    writers.delete(key);
    writers.set(key, writer);
    return writer;
  }

  function evictIdle(): void {
    for (const [key, writer] of writers) {
      if (writers.size <= maxJournals) return;
      if (writer.waiting() === 0) writers.delete(key);
    }
  }

  async function appendMany(journal: Journal, added: readonly EventToAppend[]): Promise<{ position: Place }> {
    if (added.length === 0) throw new RangeError("No events to append");
    const sizes = encodedSizes(added);
    if (sizes.some((size) => size > maxBatchBytes)) throw new AppendTooLarge("An event is larger than a batch may be");
    const addedBytes = sizes.reduce((sum, size) => sum + size, 0);
    const writer = writerOf(journal);
    if (writer.waiting() + added.length > maxWaitingEvents || bytes + addedBytes > maxWaitingBytes) {
      throw new JournalFull(`The journal ${journal.category} of app ${journal.appId} is full`);
    }
    events += added.length;
    bytes += addedBytes;
    const place = writer.append(added, sizes);
    evictIdle();
    return { position: await place };
  }

  return {
    append: (journal, event) => appendMany(journal, [event]),
    appendMany,
    async drain() {
      while (events > 0) await Promise.all([...writers.values()].map((writer) => writer.idle()));
    },
    depth: () => ({ journals: writers.size, events, bytes }),
  };
}

/** Upper estimate of the bytes that the protocol adds to an event: id, type, content type and framing. */
const framing = 160;

/** Upper estimate of the bytes of each event in an append. */
export function encodedSizes(events: readonly EventToAppend[]): readonly number[] {
  // The events of one request share one metadata object.
  let measured: EventMetadata | null = null;
  let metadataSize = 0;
  return events.map(({ data, metadata }) => {
    if (metadata !== measured) {
      measured = metadata;
      metadataSize = jsonSize(metadata);
    }
    return (data instanceof Uint8Array ? data.byteLength : jsonSize(data)) + metadataSize + framing;
  });
}

function jsonSize(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}
