import type { Knex } from "knex";
import type { SchemaName } from "../projection.ts";

/**
 * One row a tracking link, as it is now. `revision`: that of the link's last event in the row. `search_text`: what
 * keywords are looked for in.
 */
export async function createTrackingLinksTables(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
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
      search_text text not null,
      primary key (app_id, link_id)
    );
    -- How many links were created in each quarter of an hour.
    create table ${schema}.tracking_link_counts (
      app_id integer not null,
      quarter_hour timestamptz not null,
      links bigint not null,
      primary key (app_id, quarter_hour)
    );
    -- The link server knows no app when it looks for a link while the event log does not answer.
    create index on ${schema}.tracking_links (link_id);
    create index on ${schema}.tracking_links (app_id, created_at, link_id);
    create index on ${schema}.tracking_links (app_id, channel, created_at, link_id);
  `);
  await indexKeywords(trx, schema);
}

/**
 * A trigram index finds a keyword without reading every link. Where the database has no pg_trgm and may not be given
 * it, keywords are found all the same, in time that grows with the links of the app.
 */
async function indexKeywords(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    do $$ begin
      create extension if not exists pg_trgm;
    exception when insufficient_privilege or feature_not_supported or undefined_file or unique_violation then null;
    end $$
  `);
  const { rows } = await trx.raw<{ rows: readonly { readonly home: string }[] }>(
    "select extnamespace::regnamespace::text as home from pg_extension where extname = 'pg_trgm'",
  );
  const home = rows[0]?.home;
  if (home === undefined) return;
  await trx.raw(`create index on ${schema}.tracking_links using gin (search_text ${home}.gin_trgm_ops)`);
}
