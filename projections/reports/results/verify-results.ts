import type { Knex } from "knex";
import type { ReportKind, RequestedReport } from "../../../domain/report-tasks/events.ts";
import { resultRetentionMs } from "../../../domain/report-tasks/result-retention.ts";
import type { ReadModel } from "../../projection.ts";
import type { ReportScope } from "../query/query-context.ts";
import { wasCancelled } from "../query/report-transaction.ts";
import type { ReportComputation } from "./report-computation.ts";
import { rowsHash } from "./rows-hash.ts";
import { type StoredRow, searchedGroupBys } from "./stored-rows.ts";

/** The stored results of reports, and the reports computed again, compared with the hashes in the log. */
export interface VerifiedResults {
  readonly results: number;
  readonly rows: number;
  /** The tasks whose stored rows are not those that were computed, and that are reproduced. */
  readonly differing: readonly string[];
  /** Reports that were computed again, without stored rows too, as after a restore. */
  readonly computed: number;
  /** The tasks whose reports have other rows, or are too slow, when they are computed from the facts now. */
  readonly notReproduced: readonly string[];
}

export interface VerifiedReports {
  /** The live generation of the report tasks, which a verification compares with the log. */
  readonly tasks: ReadModel;
  /** The live generation of the facts: another one can be promoted while reports are computed. */
  facts(): Promise<ReadModel>;
  /** A task that has succeeded, with the position that it is computed at; null: there is none, or no such position. */
  taskOf(taskId: string): Promise<SucceededTask | null>;
  computationOf(kind: ReportKind): Pick<ReportComputation, "run">;
}

type SucceededTask = RequestedReport & Omit<ReportScope, "currency" | "timezone">;

interface EndedTask {
  readonly taskId: string;
  readonly rowsHash: string;
}

interface StoredTask extends EndedTask {
  readonly total: string | null;
}

/** Rows that are read at once. */
const rowsAtOnce = 500;
/** Time limit of a statement of a report; longer than when it was computed first. */
const maxRunMs = 600_000;

/**
 * Hashes the rows of every stored result, computes the reports again that have succeeded while results are kept, and
 * compares both hashes with that of the event that ended the task.
 */
export async function verifyResults(reports: VerifiedReports): Promise<VerifiedResults> {
  const rows = await verifyRows(reports.tasks);
  const notReproduced: string[] = [];
  const ended = await keptTasks(reports.tasks);
  for (const { taskId, rowsHash } of ended) {
    if ((await hashNow(reports, taskId)) !== rowsHash) notReproduced.push(taskId);
  }
  const differing = rows.differing.filter((taskId) => !notReproduced.includes(taskId));
  return { results: rows.results, rows: rows.rows, differing, computed: ended.length, notReproduced };
}

/** The tasks that have succeeded and whose results are still kept. */
async function keptTasks({ db, schema }: ReadModel): Promise<readonly EndedTask[]> {
  const { rows } = await db.raw<{ rows: EndedTask[] }>(
    `select task_id as "taskId", rows_hash as "rowsHash"
     from ${schema}.report_tasks
     where stage = 'succeeded' and ended_at > now() - :resultRetentionMs * interval '1 millisecond'
     order by task_id`,
    { resultRetentionMs },
  );
  return rows;
}

/** Hashes all stored rows in one snapshot. */
async function verifyRows({ db, schema }: ReadModel) {
  const snapshot = await db.transaction(null, { isolationLevel: "repeatable read" });
  try {
    const stored = await storedTasks(snapshot, schema);
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

/** The hash of the rows that a report has now; null when it is too large or too slow, or its position is lost. */
async function hashNow({ facts, taskOf, computationOf }: VerifiedReports, taskId: string): Promise<string | null> {
  const task = await taskOf(taskId);
  if (task === null) return null;
  const live = await facts();
  const { rows } = await live.db.raw<{ rows: readonly { readonly currency: string; readonly timezone: string }[] }>(
    `select currency, timezone from ${live.schema}.apps where app_id = :appId`,
    { appId: task.appId },
  );
  const [app] = rows;
  if (app === undefined) return null;
  try {
    const result = await computationOf(task.report).run(live, { ...task, ...app }, { timeoutMs: maxRunMs });
    return result?.rowsHash ?? null;
  } catch (failure) {
    if (wasCancelled(failure)) return null;
    throw failure;
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
