import type { Knex } from "knex";
import type { UploadKind } from "../../../domain/uploads/events.ts";
import type { UploadTable } from "../../../domain/uploads/kinds/upload-module.ts";
import { uploadKinds } from "../../../domain/uploads/upload-kinds.ts";
import { inForce } from "../../in-force.ts";
import type { ReadModel, SchemaName } from "../../projection.ts";
import { tableColumn } from "./tables.ts";

/** How many rows of an upload replaced others, or were replaced. */
export interface UploadRows {
  readonly requestId: string;
  readonly rows: number;
}

/** A row that is no longer in force. */
export interface ReplacedRow {
  readonly requestId: string;
  /** The header of the file is row 1. */
  readonly row: number;
  /** The values of its overwrite key, by the names of the file's columns (contract/uploads.md#replacement). */
  readonly key: { readonly [column: string]: string };
  /** The upload that replaced it, and the log position of the replacement. */
  readonly replacedBy: string;
  readonly replacedAt: bigint;
}

/** A page of rows that an upload replaced, or of its rows that were replaced. */
export interface Replacement {
  /** The other uploads, in the order of replacement. */
  readonly uploads: readonly UploadRows[];
  readonly rows: readonly ReplacedRow[];
  readonly totalCount: number;
}

export interface UploadReplacements {
  readonly rowsInForce: number;
  /** Rows of others that this upload replaced. */
  readonly replaced: Replacement;
  /** Rows of this upload that others have replaced since. */
  readonly replacedBy: Replacement;
}

export interface HistoryQuery {
  readonly appId: number;
  readonly requestId: string;
  readonly kind: UploadKind;
  readonly skip: number;
  readonly size: number;
}

/** Which rows an upload replaced, and which of its rows were replaced (contract/uploads.md#history). */
export async function replacementsOf(facts: ReadModel, query: HistoryQuery): Promise<UploadReplacements> {
  return facts.db.transaction(
    async (trx) => ({
      rowsInForce: await countInForce(trx, facts.schema, query),
      replaced: await replacement(trx, facts.schema, query, { own: "replaced_by", other: "request_id" }),
      replacedBy: await replacement(trx, facts.schema, query, { own: "request_id", other: "replaced_by" }),
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
    `select count(*)::integer as rows
     from ${schema}.${uploadKinds[kind].table.name}
     where app_id = :appId
       and request_id = :requestId
       and from_position is not null
       and to_position = ${inForce}`,
    { appId, requestId },
  );
  return rows[0]?.rows ?? 0;
}

/** The column with the id of the upload of the query, and the column with the ids of the others. */
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
  const { table } = uploadKinds[kind];
  const replaced = `
     from ${schema}.${table.name}
     where app_id = :appId
       and ${own} = :requestId
       and replaced_by is not null`;
  const { rows: uploads } = await trx.raw<{ rows: UploadRows[] }>(
    `select ${other} as "requestId", count(*)::integer as rows${replaced}
     group by ${other}
     order by min(from_position), min(to_position)`,
    { appId, requestId },
  );
  const { rows } = await trx.raw<{ rows: ReplacedRow[] }>(
    `select request_id as "requestId", row, ${keyOf(table)} as key, replaced_by as "replacedBy",
            to_position as "replacedAt"${replaced}
     order by to_position, from_position, row
     offset :skip
     limit :size`,
    { appId, requestId, skip, size },
  );
  return { uploads, rows, totalCount: uploads.reduce((sum, upload) => sum + upload.rows, 0) };
}

function keyOf({ overwriteKey }: UploadTable): string {
  return `json_build_object(${overwriteKey.map((name) => `'${name}', ${tableColumn(name)}`).join(", ")})`;
}
