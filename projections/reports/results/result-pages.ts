import type { Knex } from "knex";
import { type StoredRow, searchedText } from "./stored-rows.ts";

export interface PageAsked {
  readonly skip: number;
  readonly size: number;
  /** Empty: every row. */
  readonly keyword: string;
}

export interface ResultPage {
  readonly rows: readonly StoredRow[];
  /** Rows that the keyword leaves. */
  readonly totalCount: number;
}

/**
 * Rows `skip` to `skip + size` of a stored result, of those with a group-by value that contains `keyword`, whatever its
 * case (contract/reports.md#rows).
 * @param rowCount of the whole result
 */
export async function pageOfResult(db: Knex, taskId: string, rowCount: number, page: PageAsked): Promise<ResultPage> {
  const { skip, size } = page;
  const keyword = searchedText(page.keyword);
  if (keyword === "") {
    const { rows } = await db.raw<{ rows: StoredRow[] }>(
      `select group_bys as "groupBys", cells from work.result_rows
       where task_id = :taskId and row_number >= :skip::bigint and row_number < :skip::bigint + :size
       order by row_number`,
      { taskId, skip, size },
    );
    return { rows, totalCount: rowCount };
  }
  const { rows } = await db.raw<{ rows: (StoredRow & { readonly total: number })[] }>(
    `with hit as materialized (
       select * from work.result_rows where task_id = :taskId and position(:keyword in searched) > 0
     )
     select total, group_bys as "groupBys", cells
     from (select count(*)::integer as total from hit) as counted
     left join (select * from hit order by row_number offset :skip limit :size) as paged on true
     order by row_number`,
    { taskId, keyword, skip, size },
  );
  const hits = rows.filter((row) => row.groupBys !== null);
  return {
    rows: hits.map(({ groupBys, cells }) => ({ groupBys, cells })),
    totalCount: rows[0]?.total ?? 0,
  };
}

/**
 * The row of a stored result that shows certain group-by values, "" for those that are missing; null: there is none.
 */
export async function rowOfResult(db: Knex, taskId: string, shown: readonly string[]): Promise<StoredRow | null> {
  const { rows } = await db.raw<{ rows: StoredRow[] }>(
    `select group_bys as "groupBys", cells from work.result_rows
     where task_id = :taskId and array_replace(group_bys, null, '') = :shown::text[]
     order by row_number limit 1`,
    { taskId, shown: [...shown] },
  );
  return rows[0] ?? null;
}

/** Whether the rows of a task are there, and are those of its end. */
export async function hasResult(db: Knex, taskId: string, rowsHash: string): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    "select 1 from work.results where task_id = :taskId and rows_hash = :rowsHash",
    { taskId, rowsHash },
  );
  return rows.length > 0;
}

/** What a stored result says of everything together; null when it says nothing of that. */
export async function totalOfResult(db: Knex, taskId: string): Promise<string | null> {
  const { rows } = await db.raw<{ rows: { total: string | null }[] }>(
    "select total from work.results where task_id = :taskId",
    { taskId },
  );
  return rows[0]?.total ?? null;
}

/** Asks for the rows of a task to be computed again. */
export async function askAgain(db: Knex, taskId: string): Promise<void> {
  await db.raw("insert into work.report_requests (task_id) values (:taskId) on conflict do nothing", { taskId });
}

/** The stored results of reports, as the read API asks for them. */
export interface StoredResults {
  /** Whether the rows of a task are there, and are those of its end. */
  has(taskId: string, rowsHash: string): Promise<boolean>;
  askAgain(taskId: string): Promise<void>;
  page(taskId: string, rowCount: number, page: PageAsked): Promise<ResultPage>;
  /** What it says of everything together, as `cells` does of a row; null when it says nothing of that. */
  total(taskId: string): Promise<string | null>;
  /** The row that shows certain group-by values, "" for those that are missing; null: there is none. */
  row(taskId: string, shown: readonly string[]): Promise<StoredRow | null>;
}

export function storedResults(db: Knex): StoredResults {
  return {
    has: (taskId, rowsHash) => hasResult(db, taskId, rowsHash),
    askAgain: (taskId) => askAgain(db, taskId),
    total: (taskId) => totalOfResult(db, taskId),
    page: (taskId, rowCount, page) => pageOfResult(db, taskId, rowCount, page),
    row: (taskId, shown) => rowOfResult(db, taskId, shown),
  };
}
