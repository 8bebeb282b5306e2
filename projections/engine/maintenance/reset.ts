import type { Knex } from "knex";
import { dropGeneration, readGenerations } from "../generations/generations.ts";
import { RebuildRefused } from "../generations/rebuild.ts";
import { tryRunAsLeader } from "../leader/leader-election.ts";
import { projectorRole } from "../runner/projector.ts";

/**
 * Drops every read model and forgets how far they had come, so that the next runner begins at the log's beginning.
 * Schema `work` is left alone.
 * @throws {RebuildRefused} while a server runs the projections
 */
export async function resetReadModels(db: Knex): Promise<void> {
  const isOurs = await tryRunAsLeader(db, projectorRole, async () => {
    await db.transaction(async (trx) => {
      for (const { schema } of await readGenerations(trx)) await dropGeneration(trx, schema);
      await trx.raw("delete from touchledger.checkpoints; delete from touchledger.log_clock");
    });
  });
  if (!isOurs) throw new RebuildRefused("A server is running the projections. Stop it first.");
}
