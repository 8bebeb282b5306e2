import type { Knex } from "knex";
import { countedRows, type Dated, periodConditions } from "./list-counts.ts";
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

/** Where a row is, and how large it is; it is read when it is sent. */
export interface SizedPosition {
  readonly position: bigint;
  /** Length of the JSON of its largest column. */
  readonly bytes: number;
}

/** SQL of the rows of a table (`listed`) that are listed. They have a `position`, by which they are ordered. */
interface Listed {
  readonly table: string;
  /** Whether `keepCounts` maintains counts by the columns of the conditions. Otherwise the rows are counted. */
  readonly hasCounts: boolean;
  readonly columns: string;
  readonly conditions: readonly string[];
  /** For counts by an instant, or a list that is limited to a period. */
  readonly dated?: Dated;
  readonly values: Knex.ValueDict;
}

/**
 * A page of the rows of a table, newest first, and the number of all rows. The page is found from the nearer end of the
 * list, in an index that has all columns of the conditions (`include`); only the rows of the page are read.
 */
export async function listPage<Row extends { readonly position: bigint }>(
  { db, schema }: ReadModel,
  { table, hasCounts, columns, conditions, dated, values }: Listed,
  { skip, size }: PageQuery,
): Promise<ListPage<Row>> {
  const where = `where ${[...conditions, ...(dated === undefined ? [] : periodConditions(dated))].join(" and ")}`;
  const listed = `${schema}.${table} as listed`;
  const total = hasCounts ? countedRows(schema, table, conditions, dated) : `select count(*) from ${listed} ${where}`;
  const { rows } = await db.raw<{ rows: (Row & { readonly total: bigint })[] }>(
    `with counted as materialized (
       select total, :skip::bigint < total / 2 as "fromNewest", greatest(total - :skip, 0) as remaining
       from (${total}) as counting (total)
     )
     select counted.total, page.*
     from counted left join lateral (
       select ${columns}
       from (
         (select position from ${listed} ${where} and "fromNewest"
          order by position desc offset :skip limit :size)
         union all
         (select position from ${listed} ${where} and not "fromNewest"
          order by position offset greatest(remaining - :size, 0) limit least(remaining, :size))
         limit :size
       ) as place
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
