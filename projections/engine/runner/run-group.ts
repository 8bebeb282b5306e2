import type { Knex } from "knex";
import { backoffMs } from "../../../domain/backoff.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { GroupName, Projection } from "../../projection.ts";
import { pause } from "../../waiting.ts";
import { type Checkpoint, Fenced, lockOrCreateCheckpoint, storeRunner } from "../checkpoints/checkpoint.ts";
import { checkIdentity } from "../checkpoints/log-identity.ts";
import { comparePositions, type PositionOrStart } from "../checkpoints/positions.ts";
import { createGeneration, readGenerations, retireOthers } from "../generations/generations.ts";
import { ApplyFailed } from "../parking/apply-failure.ts";
import { findThrowingEvent, reasonOf } from "../parking/find-poison.ts";
import { applyBatch, type GroupWriter } from "./apply-batch.ts";
import { generationKey } from "./lock-group.ts";
import type { EngineLogger, LogReader } from "./log-reader.ts";
import type { PendingEvents } from "./pending-events.ts";

export interface GroupToStart extends Pick<GroupWriter, "group" | "projections" | "epoch"> {
  readonly db: Knex;
  readonly log: Pick<LogReader, "eventAt" | "headPosition">;
  readonly logId: string;
  /** How long retired generations are kept. */
  readonly graceMs: number;
}

/** Where a new runner of a group starts. */
export interface StartedGroup {
  readonly checkpoint: Checkpoint;
  /** Projections of the group without a generation of their version: to be built while the runner runs. */
  readonly toBuild: readonly Projection[];
}

/**
 * Puts a group under a new runner: waits for the batch in flight of the former runner and fences it, retires the
 * generations of other versions, and, in a group that has read nothing yet, creates live generations, which are read once
 * they have what the log has now.
 * @throws {WrongLog} when the group was built from another log
 * @throws {Fenced} when a later leader has started the group
 */
export async function startGroup(toStart: GroupToStart): Promise<StartedGroup> {
  const { db, log, logId, group, projections, epoch, graceMs } = toStart;
  return db.transaction(async (trx) => {
    await trx.raw("set local synchronous_commit = on");
    const checkpoint = await lockOrCreateCheckpoint(trx, group, logId);
    if (checkpoint.epoch > epoch) throw new Fenced(`Group ${group} has a later leader.`);
    await checkIdentity(log, logId, checkpoint);
    const applies = Object.fromEntries(projections.map(({ name, version }) => [name, version]));
    const isNew = checkpoint.position === null;
    const readableFrom = isNew ? ((await log.headPosition())?.commit ?? null) : checkpoint.readableFrom;
    const started = { ...checkpoint, epoch, applies, readableFrom };
    await storeRunner(trx, started);
    await retireOthers(trx, group, projections, graceMs);
    const live = new Set(
      (await readGenerations(trx))
        .filter(({ state }) => state === "live")
        .map(({ projection, version }) => generationKey({ name: projection, version })),
    );
    const missing = projections.filter((projection) => !live.has(generationKey(projection)));
    if (!isNew) return { checkpoint: started, toBuild: missing };
    for (const projection of missing) await createGeneration(trx, projection, "live");
    return { checkpoint: started, toBuild: [] };
  });
}

export interface GroupRunner {
  /** Applies pending events until there will be no more. Rejects with {@link Fenced} only. */
  run(): Promise<void>;
  /** Why the last batch failed; null while batches succeed. */
  failing(): string | null;
}

/** Runs the transaction of a batch, and returns what it returns. */
export type AroundBatch = <Result>(
  group: GroupName,
  batch: readonly RecordedEvent[],
  transaction: () => Promise<Result>,
) => Promise<Result>;

export interface GroupRunnerOptions {
  readonly db: Knex;
  readonly writer: GroupWriter;
  readonly pending: PendingEvents;
  readonly start: PositionOrStart;
  readonly signal: AbortSignal;
  readonly logger: EngineLogger;
  readonly aroundBatch: AroundBatch;
  /**
   * Called after a commit, also one whose reply was lost.
   * @param readable how far the group can be read; undefined while it cannot
   */
  onBatch(batch: readonly RecordedEvent[], readable: PositionOrStart | undefined): void;
}

const initialBackoffMs = 100;
const maxBackoffMs = 5_000;

/** The loop of one group: applies batches, each in a transaction. A failed batch is retried with backoff. */
export function createGroupRunner(options: GroupRunnerOptions): GroupRunner {
  const { db, writer, pending, signal, logger, onBatch } = options;
  let position = options.start;
  let failure: string | null = null;
  /** Events for which `apply` throws, by projection, until the batch that has them is applied. */
  const known = new Map<string, Map<string, string>>();

  const applyOnce = async (batch: readonly RecordedEvent[]): Promise<boolean> => {
    const transaction = () => applyBatch(db, writer, position, batch, known);
    const result = await options.aroundBatch(writer.group, batch, transaction);
    switch (result.outcome) {
      case "settling":
        await pause(result.ms, signal);
        return false;
      case "moved":
        logger.warn({ group: writer.group }, "the checkpoint was moved; resuming from it");
        position = result.checkpoint.position;
        onBatch(
          batch.filter((event) => comparePositions(event.position, position) <= 0),
          result.isComplete ? position : undefined,
        );
        return true;
      case "applied":
        position = batch.at(-1)?.position ?? position;
        if (result.parked > 0) {
          logger.error(
            { group: writer.group, events: result.parked },
            "events were parked: see `touchledger projection parked`",
          );
        }
        known.clear();
        onBatch(batch, result.isComplete ? position : undefined);
        return true;
    }
  };

  /** Remembers the event that caused a failure, which the next attempt parks; false when no event did. */
  const rememberPoison = async (thrown: unknown): Promise<boolean> => {
    if (!(thrown instanceof ApplyFailed)) return false;
    const poison = await findThrowingEvent(db, thrown).catch(() => null);
    if (poison === null) return false;
    const { projection, event, reason } = poison;
    known.set(projection, (known.get(projection) ?? new Map<string, string>()).set(event.id, reason));
    logger.error({ group: writer.group, projection, position: String(event.position.commit) }, poison.message);
    return true;
  };

  return {
    run: async () => {
      for (let attempt = 1; !signal.aborted; ) {
        try {
          const batch = await pending.next(position);
          if (batch === null) return;
          while (!(await applyOnce(batch)) && !signal.aborted);
          failure = null;
          attempt = 1;
        } catch (thrown) {
          if (thrown instanceof Fenced) throw thrown;
          if (signal.aborted) return;
          if (await rememberPoison(thrown)) continue;
          failure = reasonOf(thrown);
          logger.error({ err: thrown, group: writer.group, attempt }, "a batch could not be applied; retrying");
          await pause(backoffMs(attempt, initialBackoffMs, maxBackoffMs), signal);
          attempt += 1;
        }
      }
    },
    failing: () => failure,
  };
}
