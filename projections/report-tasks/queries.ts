import type { ActualsQuery, ReportNotification } from "../../domain/report-tasks/events.ts";
import type { ReadModel } from "../projection.ts";

interface Asked {
  readonly taskId: string;
  readonly appId: number;
  /** The log position that the report is computed at. */
  readonly position: bigint;
  readonly query: ActualsQuery;
  /** Channels that the report is confined to; null: all. */
  readonly onlyChannels: readonly string[] | null;
}

export type ReportTaskRow = Asked &
  (
    | { readonly stage: "requested" | "started" }
    | {
        readonly stage: "succeeded";
        readonly endedAt: Date;
        readonly rowCount: number;
        readonly rowsHash: string;
        readonly notifications: readonly ReportNotification[];
      }
    | { readonly stage: "failed"; readonly endedAt: Date; readonly failure: string }
  );

export type SucceededReportTask = Extract<ReportTaskRow, { readonly stage: "succeeded" }>;

const columns = `task_id as "taskId", app_id as "appId", position, query, only_channels as "onlyChannels", stage,
  ended_at as "endedAt", row_count as "rowCount", rows_hash as "rowsHash", notifications, failure`;

/** One task of an app; null when there is none of that id. `taskId` must be a UUID. */
export async function reportTaskOf(
  { db, schema }: ReadModel,
  appId: number,
  taskId: string,
): Promise<ReportTaskRow | null> {
  const { rows } = await db.raw<{ rows: ReportTaskRow[] }>(
    `select ${columns} from ${schema}.report_tasks where task_id = :taskId and app_id = :appId`,
    { taskId, appId },
  );
  return rows[0] ?? null;
}

/** Tasks that have not ended, oldest first. */
export async function openReportTasks({ db, schema }: ReadModel, most: number): Promise<readonly ReportTaskRow[]> {
  const { rows } = await db.raw<{ rows: ReportTaskRow[] }>(
    `select ${columns} from ${schema}.report_tasks where stage in ('requested', 'started') order by position limit :most`,
    { most },
  );
  return rows;
}

/** Those of some tasks that have succeeded. */
export async function succeededReportTasks(
  { db, schema }: ReadModel,
  taskIds: readonly string[],
): Promise<readonly SucceededReportTask[]> {
  if (taskIds.length === 0) return [];
  const { rows } = await db.raw<{ rows: SucceededReportTask[] }>(
    `select ${columns} from ${schema}.report_tasks
     where task_id = any(:taskIds::uuid[]) and stage = 'succeeded' order by position`,
    { taskIds: [...taskIds] },
  );
  return rows;
}
