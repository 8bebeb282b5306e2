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

/**
 * A page of the rows of a table, the newest first, and how many there are. An index that has all columns of the conditions
 * (`include`) counts the rows and finds the page; only the rows of the page are read.
 */
export async function listPage<Row extends { readonly position: bigint }>(
  { db, schema }: ReadModel,
  { table, columns, conditions, values }: Listed,
  { skip, size }: PageQuery,
): Promise<ListPage<Row>> {
  const listed = `${schema}.${table} as listed`;
  const where = `where ${conditions.join(" and ")}`;
  const { rows } = await db.raw<{ rows: (Row & { readonly total: bigint })[] }>(
    `select counted.total, page.*
     from (select count(*) as total from ${listed} ${where}) as counted
     left join (
       select ${columns}
       from (select position from ${listed} ${where} order by position desc offset :skip limit :size) as place
       join ${listed} using (position)
       ${where}
     ) as page on true
     order by page.position desc`,
    { ...values, skip, size },
  );
  const found = rows.filter(({ position }) => position !== null);
  return {
    rows: found.map(({ total: _total, ...row }) => row as unknown as Row),
    totalCount: Number(rows[0]?.total ?? 0),
  };
}
