import type { LogPosition } from "../../domain/event.ts";
import type { Category } from "../../domain/event-catalogue.ts";
import { appEventJournal, contextCallJournal, type StreamName, touchpointJournal } from "../../domain/streams.ts";
import { AppendTooLarge, type EventLog, type EventToAppend } from "../../infra/event-log/event-log.ts";
import { encodedSizes } from "./event-size.ts";
import { type JournalStream, newWriterId, openLogStream } from "./journal-stream.ts";
import { type JournalWriter, openJournalWriter } from "./journal-writer.ts";

/** Whose facts a journal takes: one stream per app and category in each process. */
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
  /** Events that wait or are in flight, over all journals. */
  readonly events: number;
  /** Their bytes, encoded. */
  readonly bytes: number;
}

/**
 * The writer journals of this process: high-volume facts go to streams that only it writes, so it always knows the
 * revision and may repeat a batch. A call resolves when its events are on disk, and rejects with {@link JournalFull}
 * (nothing written), `AppendTooLarge` (nothing written) or `EventLogUnavailable` (some of the call's events may be, or
 * still become, written: repeat them with the same ids).
 */
export interface Journals<Place = LogPosition> {
  append(journal: Journal, event: EventToAppend): Promise<{ readonly position: Place }>;
  /** Appends at least one event, in order; resolves with the position of the last. */
  appendMany(journal: Journal, events: readonly EventToAppend[]): Promise<{ readonly position: Place }>;
  /** Resolves when nothing waits and nothing is in flight. */
  drain(): Promise<void>;
  depth(): JournalDepth;
}

export interface JournalLimits {
  /** Events of one batch, at most (default 500, what the log takes). */
  readonly mostBatchEvents?: number;
  /** Encoded bytes of one batch, and so of one event, at most (default 900 KiB). */
  readonly mostBatchBytes?: number;
  /** Events waiting in one journal, at most (default 20,000). */
  readonly mostWaitingEvents?: number;
  /** Bytes waiting in all journals together, at most (default 64 MiB). */
  readonly mostWaitingBytes?: number;
  /** Journals kept in memory; beyond it those idle for longest are forgotten (default 1,000). */
  readonly mostJournals?: number;
}

export interface JournalOptions extends JournalLimits {
  /** How long a batch is repeated while the log does not answer, in milliseconds (default 10,000). */
  readonly retryFor?: number;
  /** Pause after the first failure, in milliseconds; doubled up to a second (default 50). */
  readonly firstPause?: number;
  /** A writer id that was never used before. */
  readonly newWriter?: () => string;
  /** Whether a batch starts in the next turn of the event loop, with all that this one appends (default no). */
  readonly startsNextTurn?: boolean;
}

/** Too much is waiting already; nothing of the call was taken. */
export class JournalFull extends Error {
  override readonly name = "JournalFull";
}

export function createJournals(log: EventLog, options: JournalOptions = {}): Journals {
  const { retryFor = 10_000, firstPause = 50, newWriter = newWriterId, startsNextTurn = false } = options;
  const settings = { retryFor, firstPause, newWriter, startsNextTurn };
  return journalsOver((nameStream) => openLogStream(log, nameStream, settings), options);
}

/** Journals whose batches go to the streams that `openStream` opens, one for each journal. */
export function journalsOver<Place>(
  openStream: (nameStream: (writer: string) => StreamName) => JournalStream<Place>,
  limits: JournalLimits,
): Journals<Place> {
  const { mostBatchEvents = 500, mostBatchBytes = 900 * 1024, mostJournals = 1_000 } = limits;
  const { mostWaitingEvents = 20_000, mostWaitingBytes = 64 * 1024 * 1024 } = limits;
  const writers = new Map<string, JournalWriter<Place>>();
  let events = 0;
  let bytes = 0;

  function released(releasedEvents: number, releasedBytes: number): void {
    events -= releasedEvents;
    bytes -= releasedBytes;
  }

  /** The journal's writer, now the one used last: a Map keeps the order of insertion. */
  function writerOf({ category, appId }: Journal): JournalWriter<Place> {
    const key = `${category}/${appId}`;
    const nameOf = streamNames[category];
    const open = (): JournalWriter<Place> =>
      openJournalWriter(
        openStream((id) => nameOf(appId, id)),
        { mostBatchEvents, mostBatchBytes },
        released,
      );
    const writer = writers.get(key) ?? open();
    writers.delete(key);
    writers.set(key, writer);
    return writer;
  }

  function forgetIdle(): void {
    for (const [key, writer] of writers) {
      if (writers.size <= mostJournals) return;
      if (writer.waiting() === 0) writers.delete(key);
    }
  }

  async function appendMany(journal: Journal, added: readonly EventToAppend[]): Promise<{ position: Place }> {
    if (added.length === 0) throw new RangeError("A journal is given at least one event");
    const sizes = encodedSizes(added);
    if (sizes.some((size) => size > mostBatchBytes)) throw new AppendTooLarge("An event is larger than a batch may be");
    const addedBytes = sizes.reduce((sum, size) => sum + size, 0);
    const writer = writerOf(journal);
    if (writer.waiting() + added.length > mostWaitingEvents || bytes + addedBytes > mostWaitingBytes) {
      throw new JournalFull(`The journal ${journal.category} of app ${journal.appId} takes no more`);
    }
    events += added.length;
    bytes += addedBytes;
    const place = writer.append(added, sizes);
    forgetIdle();
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
