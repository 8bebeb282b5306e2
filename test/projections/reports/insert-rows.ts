import type { Knex } from "knex";

/** Inserts rows, all with the same columns, in one statement. */
export async function insertRows(trx: Knex.Transaction, table: string, rows: readonly object[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(", ");
  if (columns === "") return;
  await trx.raw(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, ?)`,
    [JSON.stringify(rows)],
  );
}
