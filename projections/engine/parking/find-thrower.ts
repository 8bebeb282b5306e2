import type { Knex } from "knex";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { ApplyFailed } from "./exceptions.ts";
import { applyWithoutPoison, PoisonEvent, reasonOf } from "./poison.ts";

/**
 * Finds the event for which `apply` throws: the events of the failed attempt are applied again, in transactions that are
 * rolled back. Returns null when the exception does not repeat on one event, or is another one then.
 */
export async function findThrower(db: Knex, { projection, schema, events }: ApplyFailed): Promise<PoisonEvent | null> {
  const tryParts = (...parts: readonly (readonly RecordedEvent[])[]): Promise<ApplyFailed | null> =>
    rolledBack(db, async (trx) => {
      for (const part of parts)
        await applyWithoutPoison(trx, projection, schema, part, new Set(), async () => undefined);
    });

  // The shortest beginning that fails: `passing` events can be applied, `failing` cannot.
  let passing = 0;
  let failing = events.length;
  const first = await tryParts(events);
  if (first === null) return null;
  while (failing - passing > 1) {
    const middle = Math.floor((passing + failing) / 2);
    if ((await tryParts(events.slice(0, middle))) === null) passing = middle;
    else failing = middle;
  }
  const culprit = events[passing];
  if (culprit === undefined) return null;
  const before = events.slice(0, passing);
  const attempts = [await tryParts(before, [culprit]), await tryParts(before, [culprit])];
  const reasons = attempts.map((attempt) => (attempt?.events[0] === culprit ? exceptionOf(attempt) : null));
  const [reason, again] = reasons;
  if (reason === null || reason === undefined || reason !== again) return null;
  return new PoisonEvent(projection.name, culprit, reason);
}

/** What a replay rejects with: the event at fault when there is one. Any other failure is returned as it is. */
export async function named(db: Knex, failure: unknown): Promise<unknown> {
  return failure instanceof ApplyFailed ? ((await findThrower(db, failure)) ?? failure) : failure;
}

/** Runs `work` in a transaction that is rolled back; returns the exception of `apply`, and throws any other failure. */
async function rolledBack(db: Knex, work: (trx: Knex.Transaction) => Promise<void>): Promise<ApplyFailed | null> {
  const over = new Error("rolled back");
  try {
    await db.transaction(async (trx) => {
      await work(trx);
      throw over;
    });
  } catch (failure) {
    if (failure instanceof ApplyFailed) return failure;
    if (failure !== over) throw failure;
  }
  return null;
}

function exceptionOf({ cause }: ApplyFailed): string {
  return `${cause instanceof Error ? `${cause.name}: ` : ""}${reasonOf(cause)}`;
}
