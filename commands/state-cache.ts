import { LRUCache } from "lru-cache";
import type { Decider } from "../domain/decider.ts";
import type { Recorded } from "../domain/event.ts";
import type { Category, EventsByCategory, RecordedEvent } from "../domain/event-catalogue.ts";
import { isInCategory, type StreamName, streamName } from "../domain/streams.ts";
import type { EventLog } from "../infra/event-log/event-log.ts";
import { isReadable, requireReadable } from "./readable-event.ts";

/** A state with the revision of its last event; -1 for an empty stream. */
export interface StateAt<State> {
  readonly state: State;
  readonly revision: bigint;
}

/** Folds a state: a decider, or a pair whose `evolve` also reads position and time of events. */
type Fold<In extends Category, State> = Pick<
  Decider<never, RecordedEvent<EventsByCategory[In]>, State>,
  "initialState" | "evolve"
>;

/**
 * Reads and folds a stream, from its beginning or on from an earlier state. Rejects with `EventLogUnavailable` or
 * {@link EventUnreadable}.
 */
export async function readState<In extends Category, State>(
  log: Pick<EventLog, "read">,
  { initialState, evolve }: Fold<In, State>,
  stream: StreamName<In>,
  earlier: StateAt<State> = { state: initialState, revision: -1n },
): Promise<StateAt<State>> {
  let { state, revision } = earlier;
  for await (const recorded of log.read(stream, revision + 1n)) {
    requireReadable(recorded);
    state = evolve(state, recorded);
    revision = recorded.revision;
  }
  return { state, revision };
}

/** The states of the streams of a category, in memory. */
export interface StateCache<State> {
  /** The state of a stream by its id. Rejects with `EventLogUnavailable` if the stream must be read and cannot. */
  get(id: string | number): Promise<State>;
  /** Applies events from the tail of the log; events of other categories are ignored. */
  apply(events: readonly RecordedEvent[]): void;
  /** Drops a state, so that the next call of `get` reads the stream. */
  forget(id: string | number): void;
}

export interface StateCacheOptions<State> {
  readonly max: number;
  /** Milliseconds until a stream is read again, in case there is no tail (default: never). */
  readonly ttlMs?: number;
  /** Limits the cache to a total size in bytes. */
  readonly size?: { readonly maxBytes: number; of(state: State): number };
}

const maxReads = 3;

/** Reads a stream at the first `get`; from then on the tail keeps its state current. */
export function createStateCache<In extends Category, State>(
  log: Pick<EventLog, "read">,
  category: In,
  fold: Fold<In, State>,
  { max, ttlMs = 0, size }: StateCacheOptions<State>,
): StateCache<State> {
  const states = new LRUCache<string, StateAt<State>>({
    max,
    ttl: ttlMs,
    ...(size === undefined ? {} : { maxSize: size.maxBytes, sizeCalculation: ({ state }) => size.of(state) }),
  });
  /** Revisions delivered by the tail: a read that began earlier must not be cached. */
  const delivered = new LRUCache<string, bigint>({ max });

  return {
    get: async (id) => {
      const stream = streamName(category, id);
      const cached = states.get(stream);
      if (cached !== undefined) return cached.state;
      for (let reads = 1; ; reads += 1) {
        const read = await readState(log, fold, stream);
        const isCurrent = read.revision >= (delivered.get(stream) ?? -1n);
        if (isCurrent) states.set(stream, read);
        if (isCurrent || reads === maxReads) return read.state;
      }
    },
    apply: (events: readonly Recorded[]) => {
      for (const event of events) {
        const { stream, revision } = event;
        if (!isInCategory(event, category) || revision <= (delivered.get(stream) ?? -1n)) continue;
        delivered.set(stream, revision);
        const current = states.peek(stream);
        if (current === undefined || revision <= current.revision) continue;
        if (revision > current.revision + 1n || !isReadable(event)) states.delete(stream);
        else states.set(stream, { state: fold.evolve(current.state, event), revision });
      }
    },
    forget: (id) => {
      states.delete(streamName(category, id));
    },
  };
}
