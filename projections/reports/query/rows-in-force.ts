import type { UploadKind } from "../../../domain/uploads/events.ts";
import type { ReadModel } from "../../projection.ts";
import { uploadedTable } from "./uploaded-table.ts";

/** Which uploaded rows, and as of which log position: the facts must have passed it. */
export interface RowsQuery {
  readonly appId: number;
  /** Ad spend and legacy cost are found together (contract/uploads.md#replacement). */
  readonly kind: UploadKind;
  /** Of one upload only; null: of all. */
  readonly requestId: string | null;
  /** Local dates, both inclusive; null: no bound. */
  readonly from: string | null;
  readonly to: string | null;
  readonly position: bigint;
}

/** Columns of a file by their names in it, numbers as exact decimal text; null where the cell was empty. */
export interface UploadedRow {
  readonly request_id: string;
  readonly row: number;
  readonly [column: string]: string | number | boolean | null;
}

/** Rows that are read at a time: to write so many as CSV takes 10 to 20 ms, in which nobody else is answered. */
const pageSize = 1_000;

const publishers = "sub_publisher, sub_sub_publisher_1, sub_sub_publisher_2, sub_sub_publisher_3";
const columns = {
  spend: `local_date as date, channel, currency, campaign, impressions::text as impressions, clicks::text as clicks,
    cost::text as cost, campaign_id, ad_group, ad_group_id, ad_creative, ad_creative_id, term, term_id, ad_account,
    ad_account_id, ${publishers}, country, os_name`,
  uploaded_metrics: `local_date as date, channel, event_category, event_value::text as event_value, campaign, ad_group,
    ad_creative, content, term, ${publishers}, event_source, os_name, country, currency,
    is_first_event_per_device_id, is_first_event_per_user_id`,
};

/**
 * The uploaded rows in force at a position, by upload and row, in pages that are read as they are asked for. What a
 * position held never changes, so every page may come from another generation.
 * @param facts the generation of the facts that answers now
 */
export async function* rowsInForce(
  facts: () => Promise<ReadModel>,
  asked: RowsQuery,
): AsyncGenerator<readonly UploadedRow[]> {
  let last: Pick<UploadedRow, "request_id" | "row"> | undefined;
  do {
    const page = await readPage(await facts(), asked, last);
    if (page.length > 0) yield page;
    last = page.length === pageSize ? page.at(-1) : undefined;
  } while (last !== undefined);
}

async function readPage(
  { db, schema }: ReadModel,
  { appId, kind, requestId, from, to, position }: RowsQuery,
  after: Pick<UploadedRow, "request_id" | "row"> | undefined,
): Promise<readonly UploadedRow[]> {
  const table = uploadedTable(kind);
  const conditions = [
    "app_id = :appId",
    "from_position <= :position",
    "to_position > :position",
    ...(requestId === null ? [] : ["request_id = :requestId"]),
    ...(from === null ? [] : ["local_date >= :from"]),
    ...(to === null ? [] : ["local_date <= :to"]),
    ...(after === undefined ? [] : ["(request_id, row) > (:afterRequest::uuid, :afterRow::integer)"]),
  ];
  const { rows } = await db.raw<{ rows: UploadedRow[] }>(
    `select request_id, row, ${columns[table]}
     from ${schema}.${table}
     where ${conditions.join(" and ")}
     order by request_id, row limit :pageSize`,
    {
      appId,
      requestId,
      from,
      to,
      position: position.toString(),
      afterRequest: after?.request_id ?? null,
      afterRow: after?.row ?? null,
      pageSize,
    },
  );
  return rows;
}
