import { LRUCache } from "lru-cache";
import type { ConversionModel, ConversionModelEvent } from "../../domain/conversion-values/events.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { conversionModelStream, isInCategory } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";

/** A value and when the event store recorded it. */
export interface Dated<Value> {
  readonly value: Value;
  readonly recordedAt: Date;
}

/** What an app's conversion values mean now, and which channels may read them. Immutable: a change makes a new object. */
export interface PublishedModel {
  readonly model: Dated<ConversionModel> | null;
  /** By channel: its names of the app's events. */
  readonly partners: ReadonlyMap<string, Dated<{ readonly [eventName: string]: string }>>;
  /** Revision of the app's stream that this includes; -1: the stream is empty. */
  readonly revision: bigint;
}

/** The conversion values of apps, in memory. */
export interface PublishedModels {
  /** Rejects with `EventLogUnavailable` when the app's stream must be read and cannot. */
  of(appId: number): Promise<PublishedModel>;
  /** Applies events of the tail; other types are ignored. */
  apply(events: readonly RecordedEvent[]): void;
  /** Drops the app's entry, so that the next look-up reads its stream. */
  forget(appId: number): void;
}

const maxApps = 10_000;
/** Approximate bytes; the least recently used models are evicted and read again. */
const maxBytes = 64 * 1024 * 1024;
/** An estimate: an object takes more memory than its JSON. */
const bytesPerCharacter = 4;

const emptyModel: PublishedModel = { model: null, partners: new Map(), revision: -1n };

/** Reads an app's stream at the first look-up; from then on the tail keeps the entry current. */
export function createPublishedModels(log: Pick<EventLog, "read">): PublishedModels {
  const known = new LRUCache<number, PublishedModel>({ max: maxApps, maxSize: maxBytes, sizeCalculation: sizeOf });
  /** The latest revision that the tail delivered: a read that began earlier must not overwrite it. */
  const latest = new LRUCache<number, bigint>({ max: maxApps });

  const read = async (appId: number): Promise<PublishedModel> => {
    let published = emptyModel;
    for await (const event of log.read(conversionModelStream(appId))) published = withEvent(published, event);
    return published.revision < (latest.get(appId) ?? -1n) ? read(appId) : published;
  };

  return {
    of: async (appId) => {
      const current = known.get(appId);
      if (current !== undefined) return current;
      const published = await read(appId);
      known.set(appId, published);
      return published;
    },
    apply: (events) => {
      for (const event of events) {
        if (!isInCategory(event, "conversionModel")) continue;
        const { appId } = event.data;
        latest.set(appId, event.revision);
        const current = known.peek(appId);
        if (current === undefined || current.revision >= event.revision) continue;
        if (current.revision + 1n === event.revision) known.set(appId, withEvent(current, event));
        else known.delete(appId);
      }
    },
    forget: (appId) => {
      known.delete(appId);
    },
  };
}

function withEvent(published: PublishedModel, event: RecordedEvent<ConversionModelEvent>): PublishedModel {
  const { revision, recordedAt } = event;
  if (event.type === "ConversionModelPublished")
    return { ...published, model: { value: event.data.model, recordedAt }, revision };
  const { channel, events } = event.data;
  return { ...published, partners: new Map(published.partners).set(channel, { value: events, recordedAt }), revision };
}

function sizeOf({ model, partners }: PublishedModel): number {
  return JSON.stringify([model, [...partners.values()]]).length * bytesPerCharacter;
}
