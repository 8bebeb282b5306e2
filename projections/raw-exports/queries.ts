import type { ExportFailureReason, RawExportQuery, ResumePoint } from "../../domain/raw-exports/events.ts";
import { type ListPage, listPage, type PageQuery } from "../list-page.ts";
import type { ReadModel } from "../projection.ts";

export type RawExportRow = {
  readonly reportId: number;
  readonly appId: number;
  /** Log position at which its rows are read. */
  readonly position: bigint;
  readonly query: RawExportQuery;
  /** The 'now' of the export. */
  readonly now: Date;
} & (
  | { readonly stage: "requested" }
  | {
      readonly stage: "completed";
      readonly rows: number;
      /** Of the CSV file, as is `sha256`, hex. */
      readonly bytes: number;
      readonly sha256: string;
      readonly resumePoints: readonly ResumePoint[];
    }
  | { readonly stage: "failed"; readonly failure: ExportFailureReason }
);

export type CompletedExport = Extract<RawExportRow, { readonly stage: "completed" }>;

// Integers that JavaScript holds exactly are cast to float8, which the driver returns as a number.
const columns = `report_id::float8 as "reportId", app_id as "appId", position, query, requested_at as now, stage,
  row_count::float8 as rows, bytes::float8 as bytes, sha256, resume_points as "resumePoints", failure`;

/** One export; null when there is none of that id. */
export async function rawExportOf({ db, schema }: ReadModel, reportId: number): Promise<RawExportRow | null> {
  const { rows } = await db.raw<{ rows: RawExportRow[] }>(
    `select ${columns}
     from ${schema}.raw_exports
     where report_id = :reportId`,
    { reportId },
  );
  return rows[0] ?? null;
}

export interface RawExportList extends PageQuery {
  readonly appId: number;
  readonly stage: RawExportRow["stage"] | null;
}

/** Exports of an app, the newest first. */
export async function listRawExports(
  readModel: ReadModel,
  { appId, stage, ...page }: RawExportList,
): Promise<ListPage<RawExportRow>> {
  const conditions = ["app_id = :appId", ...(stage === null ? [] : ["stage = :stage"])];
  return listPage(
    readModel,
    { table: "raw_exports", hasCounts: true, columns, conditions, values: { appId, stage: stage ?? "" } },
    page,
  );
}

/** Exports that have not ended: the oldest of each app, then the second of each, so that no app blocks another. */
export async function openExports({ db, schema }: ReadModel, max: number): Promise<readonly RawExportRow[]> {
  const { rows } = await db.raw<{ rows: RawExportRow[] }>(
    `select ${columns}
     from ${schema}.raw_exports
     where stage = 'requested'
     order by row_number() over (partition by app_id order by position), position
     limit :max`,
    { max },
  );
  return rows;
}
