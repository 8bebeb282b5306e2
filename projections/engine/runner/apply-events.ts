import type { Knex } from "knex";
import { isUndecodable } from "../../../domain/event.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { Projection, SchemaName } from "../../projection.ts";
import { isPoison, PoisonEvent, reasonOf } from "../parking/poison.ts";

/** Handles an event that cannot be applied. If it resolves, the other events are applied. */
export type OnPoison = (event: RecordedEvent, reason: string) => Promise<void>;

/** The events of a batch that a projection handles, without those that an operator has skipped. */
export function handledBy(
  projection: Projection,
  batch: readonly RecordedEvent[],
  skipped: ReadonlySet<string>,
): readonly RecordedEvent[] {
  return batch.filter((event) => projection.handles.includes(event.type) && !skipped.has(event.id));
}

/**
 * Applies events to one generation, under a savepoint. When they cannot be stored, they are split in halves until each
 * faulty event is found, which goes to `onPoison`; so does every later one of its stream if the projection parks by
 * stream. Any other failure is thrown, so that the whole transaction is repeated.
 */
export async function applyEvents(
  trx: Knex.Transaction,
  projection: Projection,
  schema: SchemaName,
  events: readonly RecordedEvent[],
  parkedStreams: ReadonlySet<string>,
  onPoison: OnPoison,
): Promise<void> {
  const parked = new Set(parkedStreams);

  const parkEvent = async (event: RecordedEvent, reason: string): Promise<void> => {
    if (projection.parkBy === "stream") parked.add(event.stream);
    await onPoison(event, reason);
  };

  const apply = async (part: readonly RecordedEvent[]): Promise<void> => {
    const failure = await tryToApply(trx, projection, schema, part);
    if (failure === null) return;
    const [only, ...others] = part;
    if (only === undefined) return;
    if (others.length === 0) return parkEvent(only, failure);
    const half = Math.ceil(part.length / 2);
    await applyAll(part.slice(0, half));
    await applyAll(part.slice(half));
  };

  /** Applies the runs of events between those that are parked without trying. */
  const applyAll = async (part: readonly RecordedEvent[]): Promise<void> => {
    let run: RecordedEvent[] = [];
    for (const event of part) {
      const reason = reasonToSetAside(event, parked);
      if (reason === null) {
        run.push(event);
        continue;
      }
      const before = run;
      run = [];
      await apply(before);
      await parkEvent(event, reason);
    }
    await apply(run);
  };

  await applyAll(events);
}

/** {@link OnPoison} of a rebuild or a verification, which park nothing. */
export function refusePoison(projection: Projection): OnPoison {
  return async (event, reason) => {
    throw new PoisonEvent(projection.name, event, reason);
  };
}

function reasonToSetAside(event: RecordedEvent, parkedStreams: ReadonlySet<string>): string | null {
  if (parkedStreams.has(event.stream)) return "an earlier event of its stream is parked";
  return isUndecodable(event.data) ? event.data.message : null;
}

/** Returns null, or why the events cannot be applied, after rolling them back. */
async function tryToApply(
  trx: Knex.Transaction,
  projection: Projection,
  schema: SchemaName,
  events: readonly RecordedEvent[],
): Promise<string | null> {
  if (events.length === 0) return null;
  // Not awaited: statements on a connection run in the order of sending.
  const saved = trx.raw("savepoint before_events").then();
  try {
    await Promise.all([saved, projection.apply(trx, schema, events)]);
  } catch (failure) {
    if (!isPoison(failure)) throw failure;
    await trx.raw("rollback to savepoint before_events; release savepoint before_events");
    return reasonOf(failure);
  }
  await trx.raw("release savepoint before_events");
  return null;
}
