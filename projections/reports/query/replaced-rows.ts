import type { Knex } from "knex";
import type { UploadKind } from "../../../domain/uploads/events.ts";
import { inForce } from "../../facts/table.ts";
import type { ReadModel, SchemaName } from "../../projection.ts";
import { uploadedTable } from "./uploaded-table.ts";

/** An upload and how many of its rows are meant. */
export interface UploadRows {
  readonly requestId: string;
  readonly rows: number;
}

/** A row that is in force no more. */
export interface ReplacedRow {
  readonly requestId: string;
  /** As its file counts it, the header being 1. */
  readonly row: number;
  /** What the replacing rows have in common with it, by the file's column names (contract/uploads.md#replacement). */
  readonly key: { readonly [column: string]: string };
  /** The upload whose rows took its place, and the log position from which on. */
  readonly replacedBy: string;
  readonly replacedAt: bigint;
}

/** Replaced rows from one side, a page of them. */
export interface Replacement {
  /** The uploads on the other side, by when they replaced or were replaced. */
  readonly uploads: readonly UploadRows[];
  readonly rows: readonly ReplacedRow[];
  readonly totalCount: number;
}

export interface UploadReplacements {
  readonly rowsInForce: number;
  /** Rows of others that this upload replaced. */
  readonly replaced: Replacement;
  /** Rows of its own that others have replaced since. */
  readonly replacedBy: Replacement;
}

export interface HistoryQuery {
  readonly appId: number;
  readonly requestId: string;
  readonly kind: UploadKind;
  readonly skip: number;
  readonly size: number;
}

/**
 * Which rows an upload replaced and which of its own were replaced (contract/uploads.md#history), as the facts stand at
 * one moment.
 */
export async function replacementsOf(facts: ReadModel, asked: HistoryQuery): Promise<UploadReplacements> {
  return facts.db.transaction(
    async (trx) => ({
      rowsInForce: await countInForce(trx, facts.schema, asked),
      replaced: await replacement(trx, facts.schema, asked, { own: "replaced_by", other: "request_id" }),
      replacedBy: await replacement(trx, facts.schema, asked, { own: "request_id", other: "replaced_by" }),
    }),
    { isolationLevel: "repeatable read", readOnly: true },
  );
}

async function countInForce(
  trx: Knex.Transaction,
  schema: SchemaName,
  { appId, requestId, kind }: HistoryQuery,
): Promise<number> {
  const { rows } = await trx.raw<{ rows: { readonly rows: number }[] }>(
    `select count(*)::integer as rows from ${schema}.${uploadedTable(kind)}
     where app_id = :appId and request_id = :requestId and from_position is not null and to_position = ${inForce}`,
    { appId, requestId },
  );
  return rows[0]?.rows ?? 0;
}

/** On which side of a replacement the upload asked for stands, and on which the others. */
interface Sides {
  readonly own: "request_id" | "replaced_by";
  readonly other: "request_id" | "replaced_by";
}

async function replacement(
  trx: Knex.Transaction,
  schema: SchemaName,
  { appId, requestId, kind, skip, size }: HistoryQuery,
  { own, other }: Sides,
): Promise<Replacement> {
  const table = uploadedTable(kind);
  const replaced = `from ${schema}.${table} where app_id = :appId and ${own} = :requestId and replaced_by is not null`;
  const { rows: uploads } = await trx.raw<{ rows: UploadRows[] }>(
    `select ${other} as "requestId", count(*)::integer as rows ${replaced}
     group by ${other} order by min(from_position), min(to_position)`,
    { appId, requestId },
  );
  const { rows } = await trx.raw<{ rows: ReplacedRow[] }>(
    `select request_id as "requestId", row, ${keyOf(table)} as key, replaced_by as "replacedBy",
       to_position as "replacedAt"
     ${replaced}
     order by to_position, from_position, row
     offset :skip limit :size`,
    { appId, requestId, skip, size },
  );
  return { uploads, rows, totalCount: uploads.reduce((sum, upload) => sum + upload.rows, 0) };
}

function keyOf(table: "spend" | "uploaded_metrics"): string {
  const last = table === "spend" ? "campaign" : "event_category";
  return `json_build_object('date', local_date, 'channel', channel, '${last}', ${last})`;
}
