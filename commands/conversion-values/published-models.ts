import type { ConversionModel, ConversionModelEvent } from "../../domain/conversion-values/events.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { createStateCache, type StateCache } from "../state-cache.ts";

/** A value and when the event store recorded it. */
export interface Dated<Value> {
  readonly value: Value;
  readonly recordedAt: Date;
}

/** The current conversion model of an app and the channels that may read it. Immutable: a change makes a new object. */
export interface PublishedModel {
  readonly model: Dated<ConversionModel> | null;
  /** By channel: its names of the app's events. */
  readonly partners: ReadonlyMap<string, Dated<{ readonly [eventName: string]: string }>>;
}

/** The published models of apps by id, in memory. */
export type PublishedModels = StateCache<PublishedModel>;

const maxApps = 10_000;
const maxBytes = 64 * 1024 * 1024;
/** An estimate: an object takes more memory than its JSON. */
const bytesPerCharacter = 4;

/** Reads the stream of an app at the first `get`; keeps up to 10,000 apps, in about 64 MiB. */
export function createPublishedModels(log: Pick<EventLog, "read">): PublishedModels {
  const size = {
    maxBytes,
    of: ({ model, partners }: PublishedModel) =>
      JSON.stringify([model, [...partners.values()]]).length * bytesPerCharacter,
  };
  const initialState: PublishedModel = { model: null, partners: new Map() };
  return createStateCache(log, "conversionModel", { initialState, evolve }, { max: maxApps, size });
}

function evolve(published: PublishedModel, event: RecordedEvent<ConversionModelEvent>): PublishedModel {
  const { recordedAt } = event;
  if (event.type === "ConversionModelPublished") {
    return { ...published, model: { value: event.data.model, recordedAt } };
  }
  const { channel, events } = event.data;
  return { ...published, partners: new Map(published.partners).set(channel, { value: events, recordedAt }) };
}
