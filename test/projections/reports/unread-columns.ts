import type { Knex } from "knex";

/** What no report reads may stay empty here. */
export async function allowUnread(
  trx: Knex.Transaction,
  schema: string,
  table: string,
  row: object = {},
): Promise<void> {
  const { rows } = await trx.raw<{ rows: { column_name: string }[] }>(
    `select column_name from information_schema.columns
     where table_schema = ? and table_name = ? and is_nullable = 'NO' and column_name <> all(?)`,
    [schema, table, Object.keys(row)],
  );
  for (const { column_name } of rows) {
    if (Object.keys(row).length > 0) {
      await trx.raw(`alter table ${schema}.${table} alter column ${column_name} drop not null`);
    }
  }
}
