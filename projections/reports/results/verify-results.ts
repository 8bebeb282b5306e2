import type { Knex } from "knex";
import type { ReadModel } from "../../projection.ts";
import { rowsHash } from "./rows-hash.ts";
import { type StoredRow, searchedGroupBys } from "./stored-rows.ts";

/** The stored results of reports, compared with the hashes in the log. */
export interface VerifiedResults {
  readonly results: number;
  readonly rows: number;
  /** The tasks whose stored rows are not those that were computed. */
  readonly differing: readonly string[];
}

interface StoredTask {
  readonly taskId: string;
  readonly rowsHash: string;
  readonly total: string | null;
}

/** Rows that are read at once. */
const rowsAtOnce = 500;

/**
 * Hashes the rows of every stored result, which are served without being computed again, and compares the hashes with
 * those of the events that ended the tasks.
 * @param tasks the live generation of the report tasks, which a verification compares with the log
 */
export async function verifyResults(tasks: ReadModel): Promise<VerifiedResults> {
  const snapshot = await tasks.db.transaction(null, { isolationLevel: "repeatable read" });
  try {
    const stored = await storedTasks(snapshot, tasks.schema);
    let rows = 0;
    const differing: string[] = [];
    for (const task of stored) {
      const found = await hashOf(snapshot, task);
      rows += found.rows;
      if (found.hash !== task.rowsHash) differing.push(task.taskId);
    }
    return { results: stored.length, rows, differing };
  } finally {
    await snapshot.rollback();
  }
}

/** None before an instance has created the store of results. */
async function storedTasks(snapshot: Knex.Transaction, schema: string): Promise<readonly StoredTask[]> {
  const { rows: stores } = await snapshot.raw<{ rows: { readonly exists: boolean }[] }>(
    "select to_regclass('work.results') is not null as exists",
  );
  if (stores[0]?.exists !== true) return [];
  const { rows } = await snapshot.raw<{ rows: StoredTask[] }>(
    `select task_id as "taskId", task.rows_hash as "rowsHash", total
     from work.results
     join ${schema}.report_tasks as task using (task_id)
     where stage = 'succeeded'
     order by task_id`,
  );
  return rows;
}

/** The hash over the rows of a result; null when a row would not be found by its number or its own values. */
async function hashOf(
  snapshot: Knex.Transaction,
  { taskId, total }: StoredTask,
): Promise<{ readonly rows: number; readonly hash: string | null }> {
  type Row = StoredRow & { readonly number: number; readonly searched: string };
  const hash = rowsHash();
  let [rows, areFound] = [0, true];
  for (;;) {
    const { rows: page } = await snapshot.raw<{ rows: readonly Row[] }>(
      `select row_number as number, group_bys as "groupBys", cells, searched
       from work.result_rows
       where task_id = :taskId and row_number >= :rows
       order by row_number
       limit :rowsAtOnce`,
      { taskId, rows, rowsAtOnce },
    );
    for (const row of page) {
      hash.add(row);
      areFound &&= row.number === rows && row.searched === searchedGroupBys(row.groupBys);
      rows += 1;
    }
    if (page.length < rowsAtOnce) return { rows, hash: areFound ? hash.digest(total) : null };
  }
}
