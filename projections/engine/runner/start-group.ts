import type { Knex } from "knex";
import type { GroupName, Projection } from "../../projection.ts";
import { type Checkpoint, lockCheckpoint } from "../checkpoints/checkpoint.ts";
import { checkIdentity } from "../checkpoints/log-identity.ts";
import { createGeneration, readGenerations, retireOthers } from "../generations/generations.ts";
import { generationKey } from "./batch-start.ts";
import type { LogReader } from "./log-reader.ts";

/** Where a new runner starts. */
export interface StartedGroup {
  readonly checkpoint: Checkpoint;
  /** Projections of the group without a generation of their version: to be built while the runner runs. */
  readonly toBuild: readonly Projection[];
}

/**
 * Puts a group under a new runner: waits for the batch in flight of the former runner and fences it, retires the
 * generations of other versions, and makes the tables of a group that has read nothing live at once.
 * @throws {WrongLog} when the group was built from another log
 */
export async function startGroup(
  db: Knex,
  log: Pick<LogReader, "eventAt">,
  logId: string,
  group: GroupName,
  projections: readonly Projection[],
  epoch: bigint,
  graceMs: number,
): Promise<StartedGroup> {
  return db.transaction(async (trx) => {
    await trx.raw("set local synchronous_commit = on");
    await trx.raw(
      "insert into touchledger.checkpoints (group_name, log_id) values (?, ?) on conflict (group_name) do nothing",
      [group, logId],
    );
    const checkpoint = await lockCheckpoint(trx, group);
    if (checkpoint === null) throw new Error(`The checkpoint of group ${group} was removed meanwhile.`);
    await checkIdentity(log, logId, checkpoint);
    const applies = Object.fromEntries(projections.map(({ name, version }) => [name, version]));
    await trx.raw("update touchledger.checkpoints set epoch = ?, applies = ? where group_name = ?", [
      String(epoch),
      JSON.stringify(applies),
      group,
    ]);
    await retireOthers(trx, group, projections, graceMs);
    const live = new Set(
      (await readGenerations(trx))
        .filter(({ state }) => state === "live")
        .map(({ projection, version }) => generationKey({ name: projection, version })),
    );
    const missing = projections.filter((projection) => !live.has(generationKey(projection)));
    if (checkpoint.place === null) for (const projection of missing) await createGeneration(trx, projection, "live");
    return { checkpoint: { ...checkpoint, epoch, applies }, toBuild: checkpoint.place === null ? [] : missing };
  });
}
