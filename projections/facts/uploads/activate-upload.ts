import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { UploadIngested } from "../../../domain/uploads/events.ts";
import type { TableWriter } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { inForce } from "../table.ts";

/**
 * What rows of an upload replace: older ones that are the same in these columns and `app_id`
 * (contract/uploads.md#replacement).
 */
export const overwriteKeys = {
  spend: ["local_date", "channel", "campaign"],
  uploaded_metrics: ["local_date", "channel", "event_category"],
} as const;

type UploadedTable = keyof typeof overwriteKeys;

const ingestedColumns: Columns<RecordedEvent<UploadIngested>> = {
  app_id: { type: "integer", of: ({ data }) => data.appId },
  request_id: { type: "uuid", of: ({ data }) => data.requestId },
  from_position: { type: "bigint", of: ({ position }) => position.commit },
};

/**
 * Puts all rows of uploads in force, each upload at its position, in place of older ones of their keys
 * (contract/uploads.md#replacement).
 *
 * Of rows that were just written, in this transaction or beside it, the planner knows nothing: it may take a table of
 * them for an empty one, and then looks at each of their pairs. So it has to join by hashing, and what it looks up in
 * indexes is said with the values, not by joining.
 */
export async function putInForce(
  writer: TableWriter,
  table: UploadedTable,
  ingested: readonly RecordedEvent<UploadIngested>[],
): Promise<void> {
  if (ingested.length === 0) return;
  await Promise.all([
    writer.run("set local enable_nestloop = off; set local enable_mergejoin = off", []),
    begin(writer, table, ingested),
    endReplaced(writer, table, ingested),
    writer.run("set local enable_nestloop = on; set local enable_mergejoin = on", []),
  ]);
}

async function begin(
  { schema, run }: TableWriter,
  table: UploadedTable,
  ingested: readonly RecordedEvent<UploadIngested>[],
): Promise<void> {
  const { text, values } = unnest(ingested, ingestedColumns, "ingested");
  await run(
    `update ${schema}.${table} as stored
     set from_position = ingested.from_position
     from ${text}
     where stored.app_id = ingested.app_id
       and stored.request_id = ingested.request_id
       and stored.from_position is null
       and ${isOf("stored")}`,
    [...values, ...uploadsOf(ingested)],
  );
}

/**
 * Under one key several uploads of a batch can follow each other: each ends what began at or after the one before it,
 * and that one's own rows with it, so that the batch ends as if they had come one by one. `is not distinct from` keeps
 * the planner from indexes of reports, which find many rows a key.
 */
async function endReplaced(
  { schema, run }: TableWriter,
  table: UploadedTable,
  ingested: readonly RecordedEvent<UploadIngested>[],
): Promise<void> {
  const { text, values } = unnest(ingested, ingestedColumns, "ingested");
  const texts = overwriteKeys[table];
  const ofKey = ["overwrite_key", "app_id", ...texts].join(", ");
  await run(
    `with replacing as (
       select ${ofKey}, from_position, request_id,
              lag(from_position, 1, 0::bigint) over (partition by ${ofKey} order by from_position) as since
       from (
         select distinct ${ofKey}, from_position, request_id
         from ${text}
         join ${schema}.${table} as stored using (app_id, request_id, from_position)
         where ${isOf("stored")}
       ) as keys_of_uploads
     )
     update ${schema}.${table} as stored
     set to_position = replacing.from_position, replaced_by = replacing.request_id
     from replacing
     where stored.to_position = ${inForce}
       and stored.app_id = any(array(select distinct app_id from replacing))
       and stored.overwrite_key = any(array(select overwrite_key from replacing))
       and stored.app_id = replacing.app_id
       and stored.overwrite_key = replacing.overwrite_key
       ${texts.map((column) => `and stored.${column} is not distinct from replacing.${column}`).join("\n       ")}
       and stored.from_position >= replacing.since
       and stored.from_position < replacing.from_position`,
    [...values, ...uploadsOf(ingested)],
  );
}

/** Whether a row is of one of the uploads that {@link uploadsOf} names, by the index of its upload. */
function isOf(rows: string): string {
  return `${rows}.app_id = any(?::integer[]) and ${rows}.request_id = any(?::uuid[])`;
}

function uploadsOf(ingested: readonly RecordedEvent<UploadIngested>[]): readonly string[] {
  return [`{${ingested.map(({ data }) => data.appId)}}`, `{${ingested.map(({ data }) => data.requestId)}}`];
}
