import type { Knex } from "knex";
import type { SchemaName } from "../projection.ts";

/** One row a tracking link, as it is now. `revision`: that of the link's last event in the row. */
export async function createTrackingLinksTable(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.tracking_links (
      app_id integer not null,
      link_id bigint not null,
      revision bigint not null,
      short_id text not null,
      template_id text not null,
      channel text not null,
      channel_type text not null,
      campaign_params jsonb not null,
      is_reengagement text not null,
      deeplink_url text,
      fallback_paths jsonb not null,
      og_tag jsonb not null,
      created_at timestamptz not null,
      primary key (app_id, link_id)
    );
    -- The link server knows no app when it looks for a link while the event log does not answer.
    create index on ${schema}.tracking_links (link_id);
    create index on ${schema}.tracking_links (app_id, created_at, link_id);
  `);
}
