import type { Knex } from "knex";
import type { ReadModel } from "./projection.ts";

/** Part of a list that is newest first. */
export interface PageQuery {
  readonly skip: number;
  readonly size: number;
}

export interface ListPage<Row> {
  readonly rows: readonly Row[];
  /** Of all pages. */
  readonly totalCount: number;
}

/** Which rows of a table (`listed`) are listed, in SQL. They have a `position`, by which they are ordered. */
interface Listed {
  readonly table: string;
  readonly columns: string;
  readonly conditions: readonly string[];
  readonly values: Knex.ValueDict;
}

/** A page of the rows of a table, the newest first, and how many there are. */
export async function listPage<Row extends { readonly position: bigint }>(
  { db, schema }: ReadModel,
  { table, columns, conditions, values }: Listed,
  { skip, size }: PageQuery,
): Promise<ListPage<Row>> {
  const from = `from ${schema}.${table} as listed where ${conditions.join(" and ")}`;
  const { rows } = await db.raw<{ rows: (Row & { readonly total: bigint })[] }>(
    `select counted.total, page.*
     from (select count(*) as total ${from}) as counted
     left join (select ${columns} ${from} order by position desc offset :skip limit :size) as page on true
     order by page.position desc`,
    { ...values, skip, size },
  );
  const found = rows.filter(({ position }) => position !== null);
  return {
    rows: found.map(({ total: _total, ...row }) => row as unknown as Row),
    totalCount: Number(rows[0]?.total ?? 0),
  };
}
