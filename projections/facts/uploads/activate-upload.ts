import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { UploadIngested } from "../../../domain/uploads/events.ts";
import type { UploadTable } from "../../../domain/uploads/kinds/upload-module.ts";
import { inForce } from "../../in-force.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { tableColumn } from "./tables.ts";

const ingestedColumns: Columns<RecordedEvent<UploadIngested>> = {
  app_id: { type: "integer", of: ({ data }) => data.appId },
  request_id: { type: "uuid", of: ({ data }) => data.requestId },
  from_position: { type: "bigint", of: ({ position }) => position.commit },
};

/**
 * Puts all rows of uploads in force, each upload at its position, in place of older rows with the same overwrite key
 * (contract/uploads.md#replacement).
 *
 * The planner has no statistics of rows that were just written: it may take their table for empty and choose a nested
 * loop, which compares every pair. So only hash joins are allowed, and index conditions are passed as values.
 */
export async function activateUploads(
  pipeline: StatementPipeline,
  table: UploadTable,
  ingested: readonly RecordedEvent<UploadIngested>[],
): Promise<void> {
  if (ingested.length === 0) return;
  await Promise.all([
    pipeline.run("set local enable_nestloop = off; set local enable_mergejoin = off", []),
    putInForce(pipeline, table, ingested),
    endReplaced(pipeline, table, ingested),
    pipeline.run("set local enable_nestloop = on; set local enable_mergejoin = on", []),
  ]);
}

async function putInForce(
  { schema, run }: StatementPipeline,
  table: UploadTable,
  ingested: readonly RecordedEvent<UploadIngested>[],
): Promise<void> {
  const { text, values } = unnest(ingested, ingestedColumns, "ingested");
  await run(
    `update ${schema}.${table.name} as stored
     set from_position = ingested.from_position
     from ${text}
     where stored.app_id = ingested.app_id
       and stored.request_id = ingested.request_id
       and stored.from_position is null
       and ${isOfUploads}`,
    [...values, ...uploadsOf(ingested)],
  );
}

/**
 * Several uploads of a batch can have the same key: each ends the rows that began at or after the previous upload,
 * including its rows, as if the uploads were applied one by one. `is not distinct from` keeps the planner from using
 * the indexes of reports, which find many rows for a key.
 */
async function endReplaced(
  { schema, run }: StatementPipeline,
  table: UploadTable,
  ingested: readonly RecordedEvent<UploadIngested>[],
): Promise<void> {
  const { text, values } = unnest(ingested, ingestedColumns, "ingested");
  const keyColumns = table.overwriteKey.map(tableColumn);
  const ofKey = ["overwrite_key", "app_id", ...keyColumns].join(", ");
  await run(
    `with replacing as (
       select ${ofKey},
              from_position,
              request_id,
              lag(from_position, 1, 0::bigint) over (partition by ${ofKey} order by from_position) as since
       from (
         select distinct ${ofKey}, from_position, request_id
         from ${text}
         join ${schema}.${table.name} as stored using (app_id, request_id, from_position)
         where ${isOfUploads}
       ) as keys_of_uploads
     )
     update ${schema}.${table.name} as stored
     set to_position = replacing.from_position, replaced_by = replacing.request_id
     from replacing
     where stored.to_position = ${inForce}
       and stored.app_id = any(array(select distinct app_id from replacing))
       and stored.overwrite_key = any(array(select overwrite_key from replacing))
       and stored.app_id = replacing.app_id
       and stored.overwrite_key = replacing.overwrite_key
       ${keyColumns.map((column) => `and stored.${column} is not distinct from replacing.${column}`).join("\n       ")}
       and stored.from_position >= replacing.since
       and stored.from_position < replacing.from_position`,
    [...values, ...uploadsOf(ingested)],
  );
}

/** Whether a stored row belongs to one of the uploads in {@link uploadsOf}; uses the primary key. */
const isOfUploads = "stored.app_id = any(?::integer[]) and stored.request_id = any(?::uuid[])";

function uploadsOf(ingested: readonly RecordedEvent<UploadIngested>[]): readonly string[] {
  return [`{${ingested.map(({ data }) => data.appId)}}`, `{${ingested.map(({ data }) => data.requestId)}}`];
}
