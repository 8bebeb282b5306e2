import type { StatementPipeline } from "./statement-pipeline.ts";
import { type Columns, insertRows, unnest } from "./unnest.ts";

/** `to_position` of a row that is still in force. */
export const inForce = 9_223_372_036_854_775_807n;

/**
 * Inserts rows that are in force from their `from_position` on. Together they end the earlier rows of the same key, at
 * the position at which the next rows of the key begin.
 */
export async function supersedeRows<Row>(
  pipeline: StatementPipeline,
  table: string,
  key: string,
  rows: readonly Row[],
  columns: Columns<Row>,
): Promise<void> {
  if (rows.length === 0) return;
  await Promise.all([
    insertRows(pipeline, table, rows, columns, "on conflict do nothing"),
    endSuperseded(pipeline, table, key, rows, columns),
  ]);
}

async function endSuperseded<Row>(
  { schema, run }: StatementPipeline,
  table: string,
  key: string,
  rows: readonly Row[],
  columns: Columns<Row>,
): Promise<void> {
  const { text, values } = unnest(rows, columns, "added");
  await run(
    `update ${schema}.${table} as stored
     set to_position = span.next_position
     from (
       select ${key}, from_position, lead(from_position) over (partition by ${key} order by from_position) as next_position
       from (
         select distinct ${key}, from_position
         from ${schema}.${table}
         where to_position = ${inForce} and ${key} in (select ${key} from ${text})
       ) as positions
     ) as span
     where stored.${key} = span.${key}
       and stored.from_position = span.from_position
       and stored.to_position = ${inForce}
       and span.next_position is not null`,
    values,
  );
}
