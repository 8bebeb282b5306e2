import { noBytes } from "../event-log/protobuf.ts";
import type { StreamFacts } from "./append-rules.ts";
import { type IdempotencyWindow, windowEvents } from "./idempotency-window.ts";
import { allEvents } from "./pages.ts";
import type { ProposedEvent } from "./proposed-event.ts";
import type { Changes, Run, Storage, StreamState } from "./storage.ts";
import {
  type EncodedEvent,
  encodeStoredEvent,
  storedEventData,
  storedEventId,
  tombstoneRevision,
  tombstoneType,
} from "./stored-event.ts";
import { deletion, describedStream, isDeleted, metadataStreamOf, readMetadata, revival } from "./stream-metadata.ts";

const unknownStream: StreamState = { number: 0, lastRevision: -1, tombstone: null, metadata: null };

/** Revision and position of the last event of a write. */
export interface Place {
  readonly revision: number;
  readonly position: number;
}

/** The next commit: the state on disk with the writes that were decided since. */
export class PendingChanges implements Changes {
  readonly events: EncodedEvent[] = [];
  readonly runs: Run[] = [];
  readonly streams = new Map<string, StreamState>();
  /** Bytes of the events. */
  size = 0;
  private readonly storage: Storage;
  private readonly idempotencyWindow: IdempotencyWindow;
  private readonly firstPosition: number;

  constructor(storage: Storage, idempotencyWindow: IdempotencyWindow) {
    this.storage = storage;
    this.idempotencyWindow = idempotencyWindow;
    this.firstPosition = storage.head + 1;
  }

  /** Position of the last event; 0 when there is none. */
  get head(): number {
    return this.nextPosition() - 1;
  }

  stream(name: string): StreamState {
    return this.streams.get(name) ?? this.storage.stream(name) ?? unknownStream;
  }

  facts(name: string): StreamFacts {
    const state = this.stream(name);
    return {
      lastRevision: state.lastRevision,
      closed: state.tombstone !== null,
      deleted: isDeleted(state),
      hasMetadata: state.metadata !== null,
      idAt: (revision) => this.idAt(state, revision),
      recentRevisionOf: (id) => this.idempotencyWindow.revisionOf(name, id, () => this.lastEvents()),
    };
  }

  /** Position of an event of a stream, on disk or in this commit. */
  positionOf(stream: number, revision: number): number {
    const run = this.runs.find(
      (each) => each.stream === stream && each.firstRevision <= revision && revision < each.firstRevision + each.count,
    );
    return run ? run.firstPosition + revision - run.firstRevision : this.storage.positionOf(stream, revision);
  }

  /** Appends at least one event to a stream. One that is deleted begins again with them, or with its new metadata. */
  write(name: string, proposed: readonly ProposedEvent[]): Place {
    const state = this.stream(name);
    const described = describedStream(name);
    const subject = described === null ? state : this.stream(described);
    const place = this.append(name, state, proposed);
    if (isDeleted(subject)) this.revive(described ?? name, subject.lastRevision + 1);
    return place;
  }

  /** Deletes a stream until the next append; returns the position of the event that does. */
  delete(name: string, id: string): number {
    const metadataStream = metadataStreamOf(name);
    return this.append(metadataStream, this.stream(metadataStream), [deletion(id)]).position;
  }

  private revive(name: string, revision: number): void {
    const { metadata } = this.stream(name);
    const current = metadata === null ? noBytes : storedEventData(this.bytesAt(metadata.position));
    const metadataStream = metadataStreamOf(name);
    this.append(metadataStream, this.stream(metadataStream), [revival(current, revision)]);
  }

  private append(name: string, state: StreamState, proposed: readonly ProposedEvent[]): Place {
    const number = state.number === 0 ? this.storage.newStreamNumber() : state.number;
    const firstRevision = state.lastRevision + 1;
    const firstPosition = this.nextPosition();
    const streamName = Buffer.from(name);
    const created = ticksNow();
    proposed.forEach((event, index) => {
      const position = firstPosition + index;
      this.add(position, encodeStoredEvent(event, streamName, firstRevision + index, position, created));
    });
    const lastRevision = state.lastRevision + proposed.length;
    this.runs.push({ stream: number, firstRevision, firstPosition, count: proposed.length });
    this.streams.set(name, { number, lastRevision, tombstone: null, metadata: state.metadata });
    this.idempotencyWindow.add(name, firstRevision, proposed);
    const place = { revision: lastRevision, position: firstPosition + proposed.length - 1 };
    this.describe(name, place, proposed);
    return place;
  }

  /** Metadata that were written to their stream count for the stream that they describe. */
  private describe(name: string, { position }: Place, proposed: readonly ProposedEvent[]): void {
    const described = describedStream(name);
    const last = proposed.at(-1);
    if (described === null || !last) return;
    const metadata = readMetadata(position, last.isJson ? last.data : noBytes);
    this.streams.set(described, { ...this.stream(described), metadata });
  }

  /** Closes a stream for ever; returns the position of its tombstone. */
  close(name: string, id: string): number {
    const position = this.nextPosition();
    const event = { id, type: tombstoneType, isJson: false, data: noBytes, metadata: noBytes };
    this.add(position, encodeStoredEvent(event, Buffer.from(name), tombstoneRevision, position, ticksNow()));
    this.streams.set(name, { ...this.stream(name), tombstone: position });
    return position;
  }

  /** The last events of the log, with those of this commit. */
  private *lastEvents(): Generator<EncodedEvent> {
    const { head } = this.storage;
    const from = Math.max(1, head + 1 - windowEvents);
    for (const page of allEvents(this.storage, head, { from, backwards: false, count: Infinity })) yield* page;
    yield* this.events;
  }

  private idAt(state: StreamState, revision: number): string {
    return storedEventId(this.bytesAt(this.positionOf(state.number, revision)));
  }

  private bytesAt(position: number): Buffer {
    return this.events[position - this.firstPosition]?.bytes ?? this.storage.event(position);
  }

  private nextPosition(): number {
    return this.firstPosition + this.events.length;
  }

  private add(position: number, bytes: Buffer): void {
    this.events.push({ position, bytes });
    this.size += bytes.length;
  }
}

/** Now in ticks of 100 ns since 1970, as text: what the protocol calls `created`. */
function ticksNow(): Buffer {
  return Buffer.from(`${Date.now()}0000`);
}
