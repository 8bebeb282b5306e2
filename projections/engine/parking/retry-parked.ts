import type { Knex } from "knex";
import type { Projection } from "../../projection.ts";
import { applyEvents } from "../runner/apply-events.ts";
import { generationKey, startBatch } from "../runner/batch-start.ts";
import type { LogReader } from "../runner/log-reader.ts";
import { type ParkedEvent, park, readParked, skipEvent, unpark } from "./parking.ts";

/** What became of the events that were set aside. */
export interface Retried {
  readonly applied: number;
  readonly stillParked: number;
}

/** There is no such event among those set aside. */
export class NotParked extends Error {
  override readonly name = "NotParked";
}

/**
 * Applies again, in log order, what a projection has set aside, all of it or one stream's; the group waits meanwhile.
 * What fails again stays set aside, with its new reason.
 */
export async function retryParked(
  db: Knex,
  log: Pick<LogReader, "eventAt">,
  projection: Projection,
  stream?: string,
): Promise<Retried> {
  return db.transaction((trx) =>
    retryIn(trx, log, projection, (parked) => stream === undefined || parked.stream === stream),
  );
}

/**
 * Leaves one event out of a projection for good, of its later generations too, and applies the others of its stream
 * that waited behind it.
 * @throws {NotParked} when the projection has not set aside an event at that position
 */
export async function skipParked(
  db: Knex,
  log: Pick<LogReader, "eventAt">,
  projection: Projection,
  commit: bigint,
): Promise<Retried> {
  return db.transaction(async (trx) => {
    await startBatch(trx, projection.group);
    const skipped = (await readParked(trx, projection.name)).find(({ position }) => position.commit === commit);
    if (skipped === undefined) throw new NotParked(`Projection ${projection.name} has no parked event at ${commit}.`);
    await skipEvent(trx, skipped);
    if (skipped.parkBy === "fact") return { applied: 0, stillParked: 0 };
    return retryIn(trx, log, projection, ({ stream }) => stream === skipped.stream);
  });
}

async function retryIn(
  trx: Knex.Transaction,
  log: Pick<LogReader, "eventAt">,
  projection: Projection,
  isMeant: (parked: ParkedEvent) => boolean,
): Promise<Retried> {
  const { live } = await startBatch(trx, projection.group);
  const schema = live.get(generationKey(projection));
  const meant = (await readParked(trx, projection.name)).filter(
    (parked) => parked.schema === schema && isMeant(parked),
  );
  if (schema === undefined) return { applied: 0, stillParked: 0 };
  const events = [];
  for (const { position } of meant) {
    const event = await log.eventAt(position);
    if (event === null) throw new Error(`The log has no event at position ${position.commit}.`);
    events.push(event);
    await unpark(trx, schema, position.commit);
  }
  let stillParked = 0;
  await applyEvents(trx, projection, schema, events, new Set(), async (event, reason) => {
    stillParked += 1;
    await park(trx, projection, schema, event, reason);
  });
  return { applied: events.length - stillParked, stillParked };
}
