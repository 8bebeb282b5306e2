import type { Knex } from "knex";
import type { Projection, ReadModels } from "./projection.ts";

/** How long a reader may use a generation after another was promoted; the runner waits that long. */
export const liveForMs = 1_000;

/** The read model is still being built, or has not reached yet what the log had when it began. */
export class ReadModelNotReady extends Error {
  override readonly name = "ReadModelNotReady";
}

/**
 * Finds the live generations for this version of the code. To read as of a position, wait for the position first, then
 * call `live`.
 */
export function createReadModels(db: Knex, projections: readonly Pick<Projection, "name" | "version">[]): ReadModels {
  const known = new Map<string, { readonly schema: string; readonly since: number }>();
  const versions = new Map(projections.map(({ name, version }) => [name, version]));

  return {
    /** @throws {ReadModelNotReady} while the projection has no live generation that can be read */
    live: async (projection) => {
      const cached = known.get(projection);
      const now = performance.now();
      if (cached !== undefined && now - cached.since < liveForMs) return { db, schema: cached.schema };
      const schema = await liveSchema(db, projection, versions.get(projection) ?? 0);
      if (schema === null) throw new ReadModelNotReady(`The read model ${projection} is being built.`);
      known.set(projection, { schema, since: now });
      return { db, schema };
    },
  };
}

/**
 * Also finds a retired generation that is not dropped yet: a newer server may have replaced this version. Null while its
 * group, which began with empty tables, has not reached the head that the log had then.
 */
export async function liveSchema(db: Knex, projection: string, version: number): Promise<string | null> {
  const { rows }: { rows: readonly { readonly schema_name: string }[] } = await db.raw(
    `select schema_name
     from touchledger.generations
     left join touchledger.checkpoints as checkpoint using (group_name)
     where projection = ? and version = ? and state <> 'building'
       and coalesce(checkpoint.commit_position >= checkpoint.readable_from, checkpoint.readable_from is null)
     order by (state = 'live') desc, build desc
     limit 1`,
    [projection, version],
  );
  return rows[0]?.schema_name ?? null;
}
