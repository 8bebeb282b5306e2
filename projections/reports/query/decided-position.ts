import type { Knex } from "knex";
import { inForce } from "../../in-force.ts";
import type { SchemaName } from "../../projection.ts";

/** The last position up to which every target event of an app is decided. Undecided events may still become masked. */
export async function decidedPosition(trx: Knex.Transaction, schema: SchemaName, appId: number): Promise<bigint> {
  const { rows } = await trx.raw<{ rows: { first_open: bigint | null }[] }>(
    `select min(position) as first_open
     from (
       select position
       from ${schema}.open_targets
       where app_id = :appId
       union all
       select position
       from ${schema}.late_touchpoints
       where app_id = :appId and is_open
     ) as open`,
    { appId },
  );
  return (rows[0]?.first_open ?? inForce) - 1n;
}
