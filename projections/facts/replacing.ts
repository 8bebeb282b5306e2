import type { RecordedEvent } from "../../domain/recorded-event.ts";
import type { UploadIngested } from "../../domain/uploads/events.ts";
import { inForce } from "./table.ts";
import type { TableWriter } from "./table-writer.ts";
import { type Columns, unnest } from "./unnest.ts";

/** What rows of an upload replace: older ones that are the same in these columns and `app_id` (A: Overwrite rule). */
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

/** Puts all rows of uploads in force, each upload at its position, in place of older ones of their keys (D8.6). */
export async function putInForce(
  writer: TableWriter,
  table: UploadedTable,
  ingested: readonly RecordedEvent<UploadIngested>[],
): Promise<void> {
  if (ingested.length === 0) return;
  await Promise.all([begin(writer, table, ingested), endReplaced(writer, table, ingested)]);
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
       and stored.from_position is null`,
    values,
  );
}

/**
 * Under one key several uploads of a batch can follow each other: each ends what began at or after the one before it,
 * and that one's own rows with it, so that the batch ends as if they had come one by one. `is not distinct from` keeps
 * the planner, which knows nothing yet of rows just written, from indexes of reports, which find many rows a key.
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
       ) as keys_of_uploads
     )
     update ${schema}.${table} as stored
     set to_position = replacing.from_position, replaced_by = replacing.request_id
     from replacing
     where stored.to_position = ${inForce}
       and stored.app_id = replacing.app_id
       and stored.overwrite_key = replacing.overwrite_key
       ${texts.map((column) => `and stored.${column} is not distinct from replacing.${column}`).join("\n       ")}
       and stored.from_position >= replacing.since
       and stored.from_position < replacing.from_position`,
    values,
  );
}
