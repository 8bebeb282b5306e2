import type { Knex } from "knex";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { Projection } from "../../projection.ts";
import { readGenerations } from "../generations/generations.ts";
import { generationKey, lockGroup } from "../runner/lock-group.ts";
import type { LogReader } from "../runner/log-reader.ts";
import { applyWithoutPoison, type KnownPoison, PoisonEvent, replayFailure, sqlState } from "./find-poison.ts";
import { type ParkedEvent, park, readParked, unpark } from "./parking.ts";
import { recordSkipped } from "./skipped-events.ts";

/** How many parked events a retry has applied, and how many of the projection are parked after it. */
export interface Retried {
  readonly applied: number;
  readonly stillParked: number;
}

/** The projection has no such parked event, or none in such a stream. */
export class NotParked extends Error {
  override readonly name = "NotParked";
}

/**
 * Applies the parked events of a projection, or of one stream, again, in log order; the group waits meanwhile. Events
 * that fail again stay parked, with the new reason.
 * @throws {NotParked} when the projection has no parked event in the stream
 */
export async function retryParked(
  db: Knex,
  log: Pick<LogReader, "eventAt">,
  projection: Projection,
  stream?: string,
): Promise<Retried> {
  return repeatUntilPoisonKnown(db, async (trx, known) => {
    const parked = await readParked(trx, projection.name);
    if (stream !== undefined && !parked.some((event) => event.stream === stream)) {
      throw new NotParked(`Projection ${projection.name} has no parked event in stream ${stream}.`);
    }
    return retryIn(trx, log, projection, (event) => stream === undefined || event.stream === stream, known);
  });
}

/** Repeats a transaction until the events for which `apply` throws are all known. */
async function repeatUntilPoisonKnown<Result>(
  db: Knex,
  work: (trx: Knex.Transaction, known: KnownPoison) => Promise<Result>,
): Promise<Result> {
  const known = new Map<string, string>();
  for (;;) {
    try {
      return await db.transaction(async (trx) => {
        const result = await work(trx, known);
        // `lockGroup` has turned it off, and the log does not have what is reported to the operator.
        await trx.raw("set local synchronous_commit = on");
        return result;
      });
    } catch (failure) {
      const poison = await replayFailure(db, failure);
      if (!(poison instanceof PoisonEvent) || known.has(poison.event.id)) throw poison;
      known.set(poison.event.id, poison.reason);
    }
  }
}

/**
 * Skips a parked event in this and all later generations of a projection, and applies the events of its stream that
 * were parked behind it. An event that the group or the build of a new version is stuck at can be skipped as well.
 * @throws {NotParked} when the projection has no event at that position that is parked or still to be applied, or when it
 * can apply the event
 */
export async function skipParked(
  db: Knex,
  log: Pick<LogReader, "eventAt">,
  projection: Projection,
  commit: bigint,
): Promise<Retried> {
  await refuseIfApplicable(db, log, projection, commit);
  return repeatUntilPoisonKnown(db, async (trx, known) => {
    const { checkpoint } = await lockGroup(trx, projection.group);
    const skipped = (await readParked(trx, projection.name)).find(({ position }) => position.commit === commit);
    if (skipped === undefined) {
      const generations = await readGenerations(trx);
      const isLive = generations.some(({ projection: name, state }) => name === projection.name && state === "live");
      const isApplied = isLive && commit <= (checkpoint?.position?.commit ?? -1n);
      const event = isApplied ? null : await log.eventAt({ commit, prepare: commit });
      if (event === null || !projection.handles.includes(event.type)) {
        throw new NotParked(
          `Projection ${projection.name} has no event at ${commit} that is parked or still to be applied.`,
        );
      }
      await recordSkipped(trx, projection.name, event.id, commit, "it could not be applied");
    } else {
      await recordSkipped(trx, projection.name, skipped.eventId, commit, skipped.error);
      await unpark(trx, skipped.schema, commit);
    }
    const isBehind = ({ stream }: ParkedEvent): boolean => skipped?.parkBy === "stream" && stream === skipped.stream;
    return retryIn(trx, log, projection, isBehind, known);
  });
}

/** Classes of SQLSTATE of failures that are the database's own, whatever event is applied. */
const classesOfDatabase = ["25", "40", "53", "55", "58"];
const tryMs = 10_000;

/**
 * Applies to the live generation an event that it has not applied yet, in a transaction that is rolled back. Without a live
 * generation of this version nothing is tried: each attempt of a build has tables of its own.
 * @throws {NotParked} when that succeeds; what prevents the attempt, and a failure of the database itself
 */
async function refuseIfApplicable(
  db: Knex,
  log: Pick<LogReader, "eventAt">,
  projection: Projection,
  commit: bigint,
): Promise<void> {
  const applicable = new NotParked(
    `Projection ${projection.name} can apply the event at ${commit}, and will: it is not skipped.`,
  );
  let isTried = false;
  try {
    await db.transaction(async (trx) => {
      const { checkpoint, live } = await lockGroup(trx, projection.group);
      const schema = live.get(generationKey(projection));
      if (schema === undefined || commit <= (checkpoint?.position?.commit ?? -1n)) return;
      const event = await log.eventAt({ commit, prepare: commit });
      if (event === null || !projection.handles.includes(event.type)) return;
      await trx.raw(`set local statement_timeout = ${tryMs}`);
      isTried = true;
      await projection.apply(trx, schema, [event]);
      throw applicable;
    });
  } catch (failure) {
    const ofDatabase = classesOfDatabase.includes(sqlState(failure)?.slice(0, 2) ?? "");
    if (!isTried || failure === applicable || ofDatabase) throw failure;
  }
}

async function retryIn(
  trx: Knex.Transaction,
  log: Pick<LogReader, "eventAt">,
  projection: Projection,
  isChosen: (parked: ParkedEvent) => boolean,
  known: KnownPoison,
): Promise<Retried> {
  const { live } = await lockGroup(trx, projection.group);
  const schema = live.get(generationKey(projection));
  const current = await readParked(trx, projection.name);
  if (schema === undefined) return { applied: 0, stillParked: current.length };
  const parked = current.filter((event) => event.schema === schema);
  const chosen = parked.filter(isChosen);
  const events = [];
  for (const { position } of chosen) {
    const event = await log.eventAt(position);
    if (event === null) throw new Error(`The log has no event at position ${position.commit}.`);
    events.push(event);
    await unpark(trx, schema, position.commit);
  }
  let failed = 0;
  const parkAgain = async (event: RecordedEvent, reason: string): Promise<void> => {
    failed += 1;
    await park(trx, projection, schema, event, reason);
  };
  await applyWithoutPoison(trx, projection, schema, events, new Set(), parkAgain, known);
  const applied = events.length - failed;
  return { applied, stillParked: parked.length - applied };
}
