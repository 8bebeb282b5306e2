import { endSuperseded } from "../../in-force.ts";
import type { StatementPipeline } from "./statement-pipeline.ts";
import { type Columns, insertRows, unnest } from "./unnest.ts";

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
  const { schema, run } = pipeline;
  const { text, values } = unnest(rows, columns, "added");
  await Promise.all([
    insertRows(pipeline, table, rows, columns, "on conflict do nothing"),
    run(endSuperseded(`${schema}.${table}`, [key], `${key} in (select ${key} from ${text})`), values),
  ]);
}
