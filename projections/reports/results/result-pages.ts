import type { Knex } from "knex";
import { type StoredRow, searchedText } from "./stored-rows.ts";

interface PageRequest {
  readonly skip: number;
  readonly size: number;
  /** Empty: every row. */
  readonly keyword: string;
}

export interface ResultPage {
  readonly rows: readonly StoredRow[];
  /** Rows that match the keyword. */
  readonly totalCount: number;
}

/** The stored results of reports. */
export interface StoredResults {
  /** The hash of the stored rows of a task; null: none are stored. */
  hashOf(taskId: string): Promise<string | null>;
  /** Requests that the rows of a task are computed again. */
  requestRows(taskId: string): Promise<void>;
  /**
   * Rows `skip` to `skip + size` of a result, of those with a group-by value that contains `keyword`, whatever its case
   * (contract/reports.md#rows).
   * @param rowCount of the whole result
   */
  page(taskId: string, rowCount: number, page: PageRequest): Promise<ResultPage>;
  /** Every row in order, in chunks; fails when rows are dropped while they are read. */
  all(task: { readonly taskId: string; readonly rowCount: number }): AsyncIterable<readonly StoredRow[]>;
  /** Characters of the cells of the longest chunk that {@link all} reads. */
  longestChunk(taskId: string): Promise<number>;
  /** All rows together, as `cells` of a row; null when the report has no such row. */
  total(taskId: string): Promise<string | null>;
  /** The row with certain group-by values, "" for missing ones; null: there is none. */
  row(taskId: string, groupBys: readonly string[]): Promise<StoredRow | null>;
}

export function storedResults(db: Knex): StoredResults {
  return {
    hashOf: (taskId) => selectHash(db, taskId),
    requestRows: (taskId) => requestRows(db, taskId),
    page: (taskId, rowCount, page) =>
      page.keyword === "" ? selectPage(db, taskId, rowCount, page) : searchPage(db, taskId, page),
    all: (task) => selectAll(db, task),
    longestChunk: (taskId) => selectLongestChunk(db, taskId),
    total: (taskId) => selectTotal(db, taskId),
    row: (taskId, groupBys) => selectRow(db, taskId, groupBys),
  };
}

async function selectPage(
  db: Knex,
  taskId: string,
  rowCount: number,
  { skip, size }: Pick<PageRequest, "skip" | "size">,
): Promise<ResultPage> {
  const { rows } = await db.raw<{ rows: StoredRow[] }>(
    `select group_bys as "groupBys", cells from work.result_rows
     where task_id = :taskId and row_number >= :skip::bigint and row_number < :skip::bigint + :size
     order by row_number`,
    { taskId, skip, size },
  );
  return { rows, totalCount: rowCount };
}

/** Rows that are read at once of a whole result. */
const rowsAtOnce = 500;

async function* selectAll(
  db: Knex,
  { taskId, rowCount }: { readonly taskId: string; readonly rowCount: number },
): AsyncGenerator<readonly StoredRow[]> {
  for (let skip = 0; skip < rowCount; skip += rowsAtOnce) {
    const { rows } = await selectPage(db, taskId, rowCount, { skip, size: rowsAtOnce });
    if (rows.length < Math.min(rowsAtOnce, rowCount - skip)) throw new Error(`Rows of report ${taskId} are missing`);
    yield rows;
  }
}

/** The length of a text is known without reading it. */
async function selectLongestChunk(db: Knex, taskId: string): Promise<number> {
  const { rows } = await db.raw<{ rows: { length: number }[] }>(
    `select coalesce(max(length), 0)::integer as length
     from (
       select sum(octet_length(cells)) as length
       from work.result_rows
       where task_id = :taskId
       group by row_number / :rowsAtOnce::integer
     ) as chunks`,
    { taskId, rowsAtOnce },
  );
  return rows[0]?.length ?? 0;
}

async function searchPage(db: Knex, taskId: string, { skip, size, keyword }: PageRequest): Promise<ResultPage> {
  const { rows } = await db.raw<{ rows: (StoredRow & { readonly total: number })[] }>(
    `with hit as materialized (
       select * from work.result_rows where task_id = :taskId and position(:keyword in searched) > 0
     )
     select total, group_bys as "groupBys", cells
     from (select count(*)::integer as total from hit) as counted
     left join (select * from hit order by row_number offset :skip limit :size) as paged on true
     order by row_number`,
    { taskId, keyword: searchedText(keyword), skip, size },
  );
  // Past the last page there is one row without group-bys, which has the total.
  const hits = rows.filter((row) => row.groupBys !== null);
  return {
    rows: hits.map(({ groupBys, cells }) => ({ groupBys, cells })),
    totalCount: rows[0]?.total ?? 0,
  };
}

async function selectRow(db: Knex, taskId: string, groupBys: readonly string[]): Promise<StoredRow | null> {
  const { rows } = await db.raw<{ rows: StoredRow[] }>(
    `select group_bys as "groupBys", cells from work.result_rows
     where task_id = :taskId and array_replace(group_bys, null, '') = :groupBys::text[]
     order by row_number limit 1`,
    { taskId, groupBys: [...groupBys] },
  );
  return rows[0] ?? null;
}

async function selectHash(db: Knex, taskId: string): Promise<string | null> {
  const { rows } = await db.raw<{ rows: { rows_hash: string }[] }>(
    "select rows_hash from work.results where task_id = :taskId",
    { taskId },
  );
  return rows[0]?.rows_hash ?? null;
}

async function selectTotal(db: Knex, taskId: string): Promise<string | null> {
  const { rows } = await db.raw<{ rows: { total: string | null }[] }>(
    "select total from work.results where task_id = :taskId",
    { taskId },
  );
  return rows[0]?.total ?? null;
}

async function requestRows(db: Knex, taskId: string): Promise<void> {
  await db.raw("insert into work.report_requests (task_id) values (:taskId) on conflict do nothing", { taskId });
}
