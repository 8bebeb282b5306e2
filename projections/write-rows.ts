import type { Knex } from "knex";
import type { SchemaName } from "./projection.ts";

/** Values by column, as in JSON; every row of a statement has the columns of the first one. */
type Row = { readonly [column: string]: unknown };

/** Inserts the first row of each key that is not stored yet. @param key the columns that identify a row */
export async function insertMissingRows(
  trx: Knex.Transaction,
  schema: SchemaName,
  table: string,
  key: readonly string[],
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const names = Object.keys(rows[0] ?? {}).join(", ");
  await trx.raw(
    `insert into ${schema}.${table} (${names})
     select ${names}
     from jsonb_populate_recordset(null::${schema}.${table}, :rows)
     on conflict (${key.join(", ")}) do nothing`,
    { rows: JSON.stringify(rows) },
  );
}

/** Updates the rows with the keys of `rows`, each of which occurs once; an absent value becomes null. */
export async function updateRows(
  trx: Knex.Transaction,
  schema: SchemaName,
  table: string,
  { key, columns }: { readonly key: readonly string[]; readonly columns: readonly string[] },
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  await trx.raw(
    `update ${schema}.${table} as stored
     set ${columns.map((column) => `${column} = changed.${column}`).join(", ")}
     from jsonb_populate_recordset(null::${schema}.${table}, :rows) as changed
     where ${key.map((column) => `stored.${column} = changed.${column}`).join(" and ")}`,
    { rows: JSON.stringify(rows) },
  );
}
