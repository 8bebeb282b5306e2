import type { Knex } from "knex";
import type { Projection } from "../../projection.ts";
import { generationKey, lockGroup } from "../runner/lock-group.ts";
import type { LogReader } from "../runner/log-reader.ts";
import { type ParkedEvent, park, readParked, skipEvent, unpark } from "./parking.ts";
import { applyWithoutPoison } from "./poison.ts";

/** How many parked events a retry has applied. */
export interface Retried {
  readonly applied: number;
  readonly stillParked: number;
}

/** The projection has no such parked event. */
export class NotParked extends Error {
  override readonly name = "NotParked";
}

/**
 * Applies the parked events of a projection, or of one stream, again, in log order; the group waits meanwhile. Events
 * that fail again stay parked, with the new reason.
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
 * Skips a parked event in this and all later generations of a projection, and applies the events of its stream that
 * were parked behind it.
 * @throws {NotParked} when the projection has no parked event at that position
 */
export async function skipParked(
  db: Knex,
  log: Pick<LogReader, "eventAt">,
  projection: Projection,
  commit: bigint,
): Promise<Retried> {
  return db.transaction(async (trx) => {
    await lockGroup(trx, projection.group);
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
  isChosen: (parked: ParkedEvent) => boolean,
): Promise<Retried> {
  const { live } = await lockGroup(trx, projection.group);
  const schema = live.get(generationKey(projection));
  const chosen = (await readParked(trx, projection.name)).filter(
    (parked) => parked.schema === schema && isChosen(parked),
  );
  if (schema === undefined) return { applied: 0, stillParked: 0 };
  const events = [];
  for (const { position } of chosen) {
    const event = await log.eventAt(position);
    if (event === null) throw new Error(`The log has no event at position ${position.commit}.`);
    events.push(event);
    await unpark(trx, schema, position.commit);
  }
  let stillParked = 0;
  await applyWithoutPoison(trx, projection, schema, events, new Set(), async (event, reason) => {
    stillParked += 1;
    await park(trx, projection, schema, event, reason);
  });
  return { applied: events.length - stillParked, stillParked };
}
