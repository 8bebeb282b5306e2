import type { Knex } from "knex";
import type { Projection, ReadModels } from "./projection.ts";

/** Longest time that a reader goes on using a generation after another was promoted: the runner waits it out. */
export const liveForMs = 1_000;

/** The read model is being built: nothing can be answered from it yet. */
export class ReadModelNotReady extends Error {
  override readonly name = "ReadModelNotReady";
}

/**
 * Which generation of each projection answers, for this version of the code. To read what a position holds, wait for
 * the position first and ask for the generation then.
 */
export function createReadModels(db: Knex, projections: readonly Pick<Projection, "name" | "version">[]): ReadModels {
  const known = new Map<string, { readonly schema: string; readonly since: number }>();
  const versions = new Map(projections.map(({ name, version }) => [name, version]));

  return {
    /** @throws {ReadModelNotReady} while there is none yet */
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

/** A retired generation still answers until it is dropped: that of a version which a newer server has left behind. */
async function liveSchema(db: Knex, projection: string, version: number): Promise<string | null> {
  const { rows }: { rows: readonly { readonly schema_name: string }[] } = await db.raw(
    `select schema_name from touchledger.generations
      where projection = ? and version = ? and state <> 'building'
      order by (state = 'live') desc, build desc limit 1`,
    [projection, version],
  );
  return rows[0]?.schema_name ?? null;
}
