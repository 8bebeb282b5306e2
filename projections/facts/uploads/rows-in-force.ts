import type { UploadKind } from "../../../domain/uploads/events.ts";
import type { UploadTable } from "../../../domain/uploads/kinds/upload-module.ts";
import { uploadKinds } from "../../../domain/uploads/upload-kinds.ts";
import type { ReadModel } from "../../projection.ts";
import { tableColumn } from "./tables.ts";

/** Selects uploaded rows as of a log position, which the facts must have passed. */
export interface RowsQuery {
  readonly appId: number;
  /** Includes the rows of all kinds with the same table (contract/uploads.md#replacement). */
  readonly kind: UploadKind;
  /** Null for all uploads. */
  readonly requestId: string | null;
  /** Local dates, both inclusive; null for no bound. */
  readonly from: string | null;
  readonly to: string | null;
  readonly position: bigint;
}

/** Values by the columns of a file, numbers as exact decimal text; null where the cell was blank. */
export interface UploadedRowInForce {
  readonly request_id: string;
  readonly row: number;
  readonly [column: string]: string | number | boolean | null;
}

type RowId = Pick<UploadedRowInForce, "request_id" | "row">;

/** Rows of a page. Formatting them as CSV blocks the event loop for 10 to 20 ms. */
const pageSize = 1_000;

/**
 * The uploaded rows in force at a position, by upload and row, in pages that are read on demand. The rows of a position
 * never change, so each page may come from another generation.
 * @param facts the live generation of the facts
 */
export async function* rowsInForce(
  facts: () => Promise<ReadModel>,
  query: RowsQuery,
): AsyncGenerator<readonly UploadedRowInForce[]> {
  let last: RowId | undefined;
  do {
    const page = await readPage(await facts(), query, last);
    if (page.length > 0) yield page;
    last = page.length === pageSize ? page.at(-1) : undefined;
  } while (last !== undefined);
}

async function readPage(
  { db, schema }: ReadModel,
  { appId, kind, requestId, from, to, position }: RowsQuery,
  after: RowId | undefined,
): Promise<readonly UploadedRowInForce[]> {
  const { table } = uploadKinds[kind];
  const rows = db(`${schema}.${table.name}`)
    .select("request_id", "row", ...table.columns.map((column) => db.raw(selected(column))))
    .where({ app_id: appId })
    .where("from_position", "<=", String(position))
    .where("to_position", ">", String(position))
    .orderBy(["request_id", "row"])
    .limit(pageSize);
  if (requestId !== null) rows.where({ request_id: requestId });
  if (from !== null) rows.where("local_date", ">=", from);
  if (to !== null) rows.where("local_date", "<=", to);
  if (after !== undefined) rows.whereRaw("(request_id, row) > (:request_id::uuid, :row::integer)", { ...after });
  return rows;
}

function selected({ name, type }: UploadTable["columns"][number]): string {
  const isNumber = type === "integer" || type === "decimal";
  return `${tableColumn(name)}${isNumber ? "::text" : ""} as ${name}`;
}
