import type { UploadedMetricEvent } from "../../../domain/apps/events.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { UploadIngested } from "../../../domain/uploads/events.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";

const ingestedColumns: Columns<RecordedEvent<UploadIngested>> = {
  app_id: { type: "integer", of: ({ data }) => data.appId },
  request_id: { type: "uuid", of: ({ data }) => data.requestId },
  position: { type: "bigint", of: ({ position }) => position.commit },
};

/** Stores the categories that are uploaded for the first time. */
export async function storeCategories(
  { schema, run }: StatementPipeline,
  ingested: readonly RecordedEvent<UploadIngested>[],
): Promise<void> {
  if (ingested.length === 0) return;
  const { text, values } = unnest(ingested, ingestedColumns, "ingested");
  await run(
    `insert into ${schema}.uploaded_categories (app_id, event_category, first_position)
     select app_id, event_category, min(position)
     from ${text}
     join ${schema}.uploaded_metrics using (app_id, request_id)
     group by app_id, event_category
     on conflict do nothing`,
    values,
  );
}

const archivedColumns: Columns<RecordedEvent<UploadedMetricEvent>> = {
  app_id: { type: "integer", of: ({ data }) => data.appId },
  event_category: { type: "text", of: ({ data }) => data.eventCategory },
  archived: { type: "boolean", of: ({ type }) => type === "UploadedMetricArchived" },
  position: { type: "bigint", of: ({ position }) => position.commit },
};

/** Stores whether each category is archived. An event before the first upload of its category has no effect. */
export async function storeArchived(
  { schema, run }: StatementPipeline,
  events: readonly RecordedEvent<UploadedMetricEvent>[],
): Promise<void> {
  if (events.length === 0) return;
  const { text, values } = unnest(events, archivedColumns, "changed");
  await run(
    `update ${schema}.uploaded_categories as stored
     set archived = changed.archived
     from (
       select distinct on (app_id, event_category) *
       from ${text}
       order by app_id, event_category, position desc
     ) as changed
     where stored.app_id = changed.app_id
       and stored.event_category = changed.event_category
       and stored.first_position < changed.position`,
    values,
  );
}
