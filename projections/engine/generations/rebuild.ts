import type { Knex } from "knex";
import type { GroupName, Projection } from "../../projection.ts";
import { lockCheckpoint, readCheckpoint } from "../checkpoints/checkpoint.ts";
import type { LogReader } from "../runner/log-reader.ts";
import { type Build, openBuild } from "./build.ts";
import { dropGeneration, promote } from "./generations.ts";

/** How a build is getting on. */
export interface BuildProgress {
  /** Events of the log read so far, and those there are up to the group's checkpoint. */
  readonly events: number;
  readonly of: number;
}

export interface RebuildOptions {
  readonly onProgress?: (progress: BuildProgress) => void;
  /** How long readers may go on using what is replaced: longer than their statement time-out. */
  readonly graceMs: number;
  readonly signal?: AbortSignal;
}

/** Nothing can be rebuilt now; the message says why. */
export class RebuildRefused extends Error {
  override readonly name = "RebuildRefused";
}

/** The runner waits for so many to be applied, well under a second. */
const lastStretchEvents = 4_000;

/**
 * Builds new generations of projections of one group beside the live ones, while the group goes on, and makes them
 * live in one transaction, standing exactly at the group's checkpoint: readers never see a gap, and the runner's next
 * batch finds them.
 * @throws {RebuildRefused} when they are being built already, or the server runs another version of them
 * @throws {PoisonEvent} when an event cannot be applied; then nothing has changed
 */
export async function rebuild(
  db: Knex,
  log: Pick<LogReader, "subscribe">,
  group: GroupName,
  projections: readonly Projection[],
  options: RebuildOptions,
): Promise<void> {
  await withBuildLocks(db, projections, async () => {
    let of = Number(await requireCheckpoint(db, group, projections).then(({ events }) => events));
    const report = (build: Build): void => options.onProgress?.({ events: build.events(), of });
    const build = await openBuild(db, log, projections, (progressing) => {
      options.signal?.throwIfAborted();
      report(progressing);
    });
    const catchUp = async (): Promise<void> => {
      for (let stretch = Number.POSITIVE_INFINITY; stretch > lastStretchEvents; ) {
        const checkpoint = await requireCheckpoint(db, group, projections);
        of = Number(checkpoint.events);
        stretch = of - build.events();
        await build.advanceTo(checkpoint.place);
      }
    };
    try {
      await catchUp();
      await build.createQueryIndexes();
      // The log has gone on meanwhile.
      await catchUp();
      await db.transaction(async (trx) => {
        await lockCheckpoint(trx, group);
        const checkpoint = await requireCheckpoint(trx, group, projections);
        of = Number(checkpoint.events);
        await build.advanceTo(checkpoint.place, trx);
        await promote(trx, build.schemas, options.graceMs);
      });
    } catch (failure) {
      await build.discard();
      throw failure;
    } finally {
      build.close();
    }
  });
}

async function requireCheckpoint(db: Knex | Knex.Transaction, group: GroupName, projections: readonly Projection[]) {
  const checkpoint = await readCheckpoint(db, group);
  if (checkpoint === null) throw new RebuildRefused(`Group ${group} has never run: there is nothing to rebuild.`);
  for (const { name, version } of projections) {
    const applied = checkpoint.applies[name];
    if (applied === version) continue;
    throw new RebuildRefused(
      `The server applies ${applied === undefined ? "no" : `version ${applied} of`} projection ${name}, this program has ` +
        `version ${version}. Start the server in this version: it builds the new one by itself.`,
    );
  }
  return checkpoint;
}

/** Keeps two builds of one projection apart, and clears away what a killed one has left. */
export async function withBuildLocks<Result>(
  db: Knex,
  projections: readonly Projection[],
  work: () => Promise<Result>,
): Promise<Result> {
  const names = projections.map(({ name }) => name);
  // The transaction does nothing else: its locks end with it, or with its connection.
  return db.transaction(async (locks) => {
    await locks.raw("set local idle_in_transaction_session_timeout = 0");
    for (const name of [...names].sort()) {
      const { rows }: { rows: readonly { readonly held: boolean }[] } = await locks.raw(
        "select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as held",
        [`touchledger build ${name}`],
      );
      if (rows[0]?.held !== true) throw new RebuildRefused(`Projection ${name} is being built by another process.`);
    }
    await db.transaction(async (trx) => {
      const { rows }: { rows: readonly { readonly schema_name: string }[] } = await trx.raw(
        "select schema_name from touchledger.generations where state = 'building' and projection = any(?)",
        [names],
      );
      for (const { schema_name } of rows) await dropGeneration(trx, schema_name);
    });
    return work();
  });
}
