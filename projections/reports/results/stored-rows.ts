import type { Knex } from "knex";

/** A row of a stored result. */
export interface StoredRow {
  /** Missing values are null. */
  readonly groupBys: readonly (string | null)[];
  /** The values of the row: JSON, in a shape of each kind of report. */
  readonly cells: string;
}

/** A row as it was computed. */
export function computedRow<Row extends { readonly groupBys: StoredRow["groupBys"] }>({ groupBys, cells }: StoredRow) {
  return { groupBys, ...(JSON.parse(cells) as Omit<Row, "groupBys">) };
}

/** A computed report. */
export interface StoredResult {
  /** In order. */
  readonly rows: readonly StoredRow[];
  /** All rows together, as `cells` of a row; null when the report has no such row. */
  readonly total: string | null;
  /** SHA-256 over the rows, hex: the same whenever the report is computed at its position. */
  readonly rowsHash: string;
}

/** Separates the group-by values of a row that a keyword is searched in. */
const between = "\u001f";
/** Characters that are inserted at once: a result can have 100 MB of cells, and of group-by values. */
const maxInsertedLength = 4_000_000;
const reportStoreLock = 7_203_115;

/**
 * Creates the tables of report results if they are missing. They are derived data: lost rows are computed again at the
 * position of their report when it is in `report_requests`.
 */
export async function createReportStore(db: Knex): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw("select pg_advisory_xact_lock(:lock)", { lock: reportStoreLock });
    await trx.raw(`
      create schema if not exists work;
      create table if not exists work.results (
        task_id uuid primary key,
        rows_hash text not null,
        -- The values of all rows together.
        total text
      );
      create table if not exists work.result_rows (
        task_id uuid not null,
        -- From 0, in the order of the report.
        row_number integer not null,
        group_bys text[] not null,
        cells text not null,
        -- The group-by values in lower case.
        searched text not null,
        primary key (task_id, row_number)
      );
      create table if not exists work.report_requests (
        task_id uuid primary key,
        asked_at timestamptz not null default now()
      );
    `);
  });
}

/** Fails a transaction that may not write any more. */
export type StoreGuard = (trx: Knex.Transaction) => Promise<void>;

/** Stores a result in place of any that the task had, and closes the request for it. */
export async function storeResult(
  db: Knex,
  taskId: string,
  { rows, total, rowsHash }: StoredResult,
  guard: StoreGuard,
): Promise<void> {
  await db.transaction(async (trx) => {
    await guard(trx);
    await trx.raw(
      `insert into work.results (task_id, rows_hash, total) values (:taskId, :rowsHash, :total)
       on conflict (task_id) do update
       set rows_hash = excluded.rows_hash, total = excluded.total`,
      { taskId, rowsHash, total },
    );
    await trx.raw("delete from work.result_rows where task_id = :taskId", { taskId });
    for (let from = 0; from < rows.length; ) {
      const count = countUpTo(maxInsertedLength, rows, from);
      await insertRows(trx, taskId, from, rows.slice(from, from + count));
      from += count;
    }
    await trx.raw("delete from work.report_requests where task_id = :taskId", { taskId });
  });
}

/** The number of rows from one on, at least one, that together have at most a certain length. */
function countUpTo(maxLength: number, rows: readonly StoredRow[], from: number): number {
  let [count, length] = [0, 0];
  while (from + count < rows.length) {
    length += lengthOf(rows[from + count]);
    if (count > 0 && length > maxLength) break;
    count += 1;
  }
  return count;
}

/** Group-by values are stored twice: also in lower case. */
function lengthOf(row: StoredRow | undefined): number {
  return row === undefined ? 0 : row.cells.length + 2 * row.groupBys.join(between).length;
}

function insertRows(trx: Knex.Transaction, taskId: string, from: number, rows: readonly StoredRow[]): Knex.Raw {
  const stored = rows.map(({ groupBys, cells }, index) => ({
    row_number: from + index,
    group_bys: groupBys,
    cells,
    searched: searchedGroupBys(groupBys),
  }));
  return trx.raw(
    `insert into work.result_rows (task_id, row_number, group_bys, cells, searched)
     select :taskId::uuid, row_number, group_bys, cells, searched
     from jsonb_to_recordset(:stored) as stored (row_number integer, group_bys text[], cells text, searched text)`,
    { taskId, stored: JSON.stringify(stored) },
  );
}

/** Tasks whose rows are to be computed again, the longest waiting first. */
export async function requestedRows(db: Knex, max: number): Promise<readonly string[]> {
  const { rows } = await db.raw<{ rows: { task_id: string }[] }>(
    "select task_id from work.report_requests order by asked_at, task_id limit :max",
    { max },
  );
  return rows.map((row) => row.task_id);
}

/** Drops the request for the rows of a task. */
export async function dropRequest(db: Knex, taskId: string): Promise<void> {
  await db.raw("delete from work.report_requests where task_id = :taskId", { taskId });
}

/** The tasks that have a stored result, or whose rows are requested. */
export async function storedTasks(db: Knex): Promise<readonly string[]> {
  const { rows } = await db.raw<{ rows: { task_id: string }[] }>(
    "select task_id from work.results union select task_id from work.report_requests",
  );
  return rows.map((row) => row.task_id);
}

/** Drops the results of some tasks, and the requests for them. Returns how many results were dropped. */
export async function dropResults(db: Knex, taskIds: readonly string[]): Promise<number> {
  return db.transaction(async (trx) => {
    const dropped = { taskIds: [...taskIds] };
    const { rows } = await trx.raw<{ rows: unknown[] }>(
      "delete from work.results where task_id = any(:taskIds::uuid[]) returning 1",
      dropped,
    );
    await trx.raw("delete from work.result_rows where task_id = any(:taskIds::uuid[])", dropped);
    await trx.raw("delete from work.report_requests where task_id = any(:taskIds::uuid[])", dropped);
    return rows.length;
  });
}

/** The text of a row that keywords are searched in. */
export function searchedGroupBys(groupBys: StoredRow["groupBys"]): string {
  return searchedText(groupBys.join(between));
}

/** A text in the form in which keywords and values are compared, ignoring case: Σ in lower case is σ or ς. */
export function searchedText(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}
