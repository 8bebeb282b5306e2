import type { Knex } from "knex";

/**
 * Adds the columns that a table of an earlier version lacks. `add column if not exists` would lock the table even when it
 * has them: behind a `verify` or a `pg_dump`, which read it for as long as they run, and in front of everybody else.
 * @param columns types by name
 */
export async function addMissingColumns(
  trx: Knex.Transaction,
  table: `${string}.${string}`,
  columns: Readonly<Record<string, string>>,
): Promise<void> {
  const { rows } = await trx.raw<{ rows: { name: string }[] }>(
    "select attname as name from pg_attribute where attrelid = ?::regclass and not attisdropped",
    [table],
  );
  for (const [name, type] of Object.entries(columns)) {
    if (!rows.some((column) => column.name === name)) await trx.raw(`alter table ${table} add column ${name} ${type}`);
  }
}
