import type {
  ReportFailureReason,
  ReportKind,
  ReportNotification,
  ReportQueries,
} from "../../domain/report-tasks/events.ts";
import { reportLimits } from "../../domain/reporting/limits.ts";
import { type ListPage, listPage, type PageQuery, type SizedPosition } from "../list-page.ts";
import type { ReadModel, SchemaName } from "../projection.ts";

interface Task<Kind extends ReportKind> {
  readonly taskId: string;
  readonly appId: number;
  /** The token that requested it; null: the operator. */
  readonly requestedBy: string | null;
  readonly report: Kind;
  readonly query: ReportQueries[Kind];
  /** Log position at which the report is computed. */
  readonly position: bigint;
  /** Channels that the report is limited to; null: all. */
  readonly onlyChannels: readonly string[] | null;
  /** The 'now' of the report. */
  readonly now: Date;
}

interface Succeeded {
  readonly stage: "succeeded";
  readonly endedAt: Date;
  readonly rowCount: number;
  readonly rowsHash: string;
  readonly notifications: readonly ReportNotification[];
}

type Stage =
  | { readonly stage: "requested" | "started" }
  | Succeeded
  | { readonly stage: "failed"; readonly endedAt: Date; readonly failure: ReportFailureReason }
  | { readonly stage: "canceled"; readonly endedAt: Date };

type OfEachKind<Stages> = { readonly [Kind in ReportKind]: Task<Kind> & Stages }[ReportKind];

export type ReportTaskRow = OfEachKind<Stage>;
/** A task, whether it waits and has its turn, and whether the log lacks the event of its `asOf` (contract/reports.md#tasks). */
export type FoundReportTask = ReportTaskRow & { readonly hasTurn?: boolean; readonly isMomentLost?: boolean };
export type SucceededReportTask = OfEachKind<Succeeded>;
/** A task of one kind of report that has succeeded. */
export type SucceededTaskOf<Kind extends ReportKind> = Task<Kind> & Succeeded;

const columns = `task_id as "taskId", app_id as "appId", position, requested_by as "requestedBy", report, query, only_channels as "onlyChannels", now,
  stage, ended_at as "endedAt", row_count as "rowCount", rows_hash as "rowsHash", notifications, failure`;

/** One task of an app; null when there is none with that id. `taskId` must be a UUID. */
export async function reportTaskOf(
  { db, schema }: ReadModel,
  appId: number,
  taskId: string,
): Promise<FoundReportTask | null> {
  const { rows } = await db.raw<{ rows: FoundReportTask[] }>(
    `select ${columns}, (${hasTurnSql(schema)}) as "hasTurn"
     from ${schema}.report_tasks as listed
     where task_id = :taskId
       and app_id = :appId`,
    { taskId, appId },
  );
  return rows[0] ?? null;
}

/**
 * Tasks that have not ended: the oldest of each app, then the second of each, so that no app blocks another; those of an
 * app likewise by their tokens.
 */
export async function openReportTasks({ db, schema }: ReadModel, limit: number): Promise<readonly ReportTaskRow[]> {
  const { rows } = await db.raw<{ rows: ReportTaskRow[] }>(
    `select ${columns}
     from (
       select *, row_number() over (partition by app_id, requested_by order by position) as turn
       from ${schema}.report_tasks
       where stage in ('requested', 'started')
     ) open
     order by row_number() over (partition by app_id order by turn, position), position
     limit :limit`,
    { limit },
  );
  return rows;
}

/**
 * Whether the task that was requested at a position had its turn then: fewer others were open than run concurrently. It
 * never changes once the read model has passed that position.
 */
export async function hadTurn({ db, schema }: ReadModel, position: bigint): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { hadTurn: boolean }[] }>(
    `select ${hadTurnSql(schema, ":position")} as "hadTurn"`,
    { position: position.toString() },
  );
  return rows[0]?.hadTurn === true;
}

function hadTurnSql(schema: SchemaName, position: string): string {
  const max = reportLimits.concurrent;
  const earlier = (isOpen: string): string =>
    `(select 1
      from ${schema}.report_tasks as earlier
      where ${isOpen} and earlier.position < ${position}
      limit ${max})`;
  return `(
    select count(*)
    from (
      ${earlier("earlier.stage in ('requested', 'started')")}
      union all
      ${earlier(`earlier.ended_position > ${position}`)}
    ) as open
  ) < ${max}`;
}

/** SQL of whether a task (`listed`) waits and had its turn when it was requested. */
function hasTurnSql(schema: SchemaName): string {
  return `stage = 'requested' and ${hadTurnSql(schema, "listed.position")}`;
}

export interface ReportTaskList extends PageQuery {
  readonly appId: number;
  readonly report: ReportKind | null;
  /** The stage that is shown: `started` for a task that has its turn. */
  readonly stage: ReportTaskRow["stage"] | null;
}

export type ListedReportTask = ReportTaskRow & { readonly hasTurn: boolean; readonly requestedAt: Date };

/** Where the report tasks of an app are, the newest first. */
export async function listReportTasks(
  readModel: ReadModel,
  { appId, report, stage, ...page }: ReportTaskList,
): Promise<ListPage<SizedPosition>> {
  const isOpen = stage === "requested" || stage === "started";
  const ofStage = isOpen
    ? [
        "stage in ('requested', 'started')",
        `case when ${hasTurnSql(readModel.schema)} then 'started' else stage end = :stage`,
      ]
    : ["stage = :stage"];
  const conditions = [
    "app_id = :appId",
    ...(report === null ? [] : ["report = :report"]),
    ...(stage === null ? [] : ofStage),
  ];
  const listed = {
    table: "report_tasks",
    columns: "position, octet_length(query::text) as bytes",
    conditions,
    // Whether a task has its turn changes without a change of its row.
    hasCounts: !isOpen,
    values: { appId, report: report ?? "", stage: stage ?? "" },
  };
  return listPage(readModel, listed, page);
}

/** The report tasks of an app at positions, the newest first. */
export async function reportTasksAt(
  { db, schema }: ReadModel,
  appId: number,
  positions: readonly bigint[],
): Promise<readonly ListedReportTask[]> {
  const { rows } = await db.raw<{ rows: ListedReportTask[] }>(
    `select ${columns}, requested_at as "requestedAt", (${hasTurnSql(schema)}) as "hasTurn"
     from ${schema}.report_tasks as listed
     where app_id = :appId and position = any(:positions::bigint[])
     order by position desc`,
    { appId, positions: positions.map(String) },
  );
  return rows;
}

/** Which of the tasks have been canceled. */
export async function canceledReportTasks(
  { db, schema }: ReadModel,
  taskIds: readonly string[],
): Promise<readonly string[]> {
  if (taskIds.length === 0) return [];
  const { rows } = await db.raw<{ rows: { task_id: string }[] }>(
    `select task_id
     from ${schema}.report_tasks
     where task_id = any(:taskIds::uuid[])
       and stage = 'canceled'`,
    { taskIds: [...taskIds] },
  );
  return rows.map((row) => row.task_id);
}

/** Which of the tasks ended at or before an instant. */
export async function reportTasksEndedBy(
  { db, schema }: ReadModel,
  taskIds: readonly string[],
  instant: Date,
): Promise<readonly string[]> {
  const { rows } = await db.raw<{ rows: { task_id: string }[] }>(
    `select task_id
     from ${schema}.report_tasks
     where task_id = any(:taskIds::uuid[])
       and ended_at <= :instant`,
    { taskIds: [...taskIds], instant },
  );
  return rows.map((row) => row.task_id);
}

/** Those of the tasks that have succeeded. */
export async function succeededReportTasks(
  { db, schema }: ReadModel,
  taskIds: readonly string[],
): Promise<readonly SucceededReportTask[]> {
  if (taskIds.length === 0) return [];
  const { rows } = await db.raw<{ rows: SucceededReportTask[] }>(
    `select ${columns}
     from ${schema}.report_tasks
     where task_id = any(:taskIds::uuid[])
       and stage = 'succeeded'
     order by position`,
    { taskIds: [...taskIds] },
  );
  return rows;
}
