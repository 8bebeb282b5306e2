import { LRUCache } from "lru-cache";
import type { ConversionModel, ConversionModelEvent } from "../../domain/conversion-values/events.ts";
import type { RecordedEvent } from "../../domain/recorded-event.ts";
import { conversionModelStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";

/** Something that was said last at an instant. */
export interface Said<What> {
  readonly what: What;
  readonly at: Date;
}

/** What an app's conversion values mean now, and to whom they are shown. Never changed: another one takes its place. */
export interface PublishedModel {
  readonly model: Said<ConversionModel> | null;
  /** By channel: its names of the app's events. */
  readonly partners: ReadonlyMap<string, Said<{ readonly [eventName: string]: string }>>;
  /** Of the app's stream, when this was so; -1: it has none. */
  readonly revision: bigint;
}

/** The conversion values of apps, in memory. */
export interface PublishedModels {
  /** Rejects with `EventLogUnavailable` when the app's stream must be read and cannot. */
  of(appId: number): Promise<PublishedModel>;
  /** Takes what the tail brings; events of other types are passed over. */
  apply(events: readonly RecordedEvent[]): void;
  /** Has the app's stream read again at the next question: it was written to just now. */
  forget(appId: number): void;
}

const maxApps = 10_000;
/** Bytes, about: models that are asked for less than others are read again. */
const maxBytes = 64 * 1024 * 1024;
/** An object takes more than its JSON. */
const bytesPerCharacter = 4;

const nothing: PublishedModel = { model: null, partners: new Map(), revision: -1n };

/** Reads an app's stream at the first question; later the tail says when something changes. */
export function createPublishedModels(log: Pick<EventLog, "read">): PublishedModels {
  const known = new LRUCache<number, PublishedModel>({ max: maxApps, maxSize: maxBytes, sizeCalculation: sizeOf });
  /** The latest revision that the tail brought: a reading that began before must not undo it. */
  const latest = new LRUCache<number, bigint>({ max: maxApps });

  const read = async (appId: number): Promise<PublishedModel> => {
    let published = nothing;
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
        if (!isOfModel(event)) continue;
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

function isOfModel(event: RecordedEvent): event is RecordedEvent<ConversionModelEvent> {
  return event.type === "ConversionModelPublished" || event.type === "PartnerEventsMapped";
}

function withEvent(published: PublishedModel, event: RecordedEvent): PublishedModel {
  if (!isOfModel(event)) return { ...published, revision: event.revision };
  const { revision, recordedAt: at } = event;
  if (event.type === "ConversionModelPublished")
    return { ...published, model: { what: event.data.model, at }, revision };
  const { channel, events } = event.data;
  return { ...published, partners: new Map(published.partners).set(channel, { what: events, at }), revision };
}

function sizeOf({ model, partners }: PublishedModel): number {
  return JSON.stringify([model, [...partners.values()]]).length * bytesPerCharacter;
}
