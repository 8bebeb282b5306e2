import type { Knex } from "knex";
import type { SchemaName } from "../../projection.ts";

/**
 * Daily aggregates, for reports that do not need individual facts. A reactor (`infra/jobs/daily-aggregates.ts`) computes those
 * of a day when the day has stopped changing; `verify` computes those in use again. They may be deleted at any time. The
 * projection itself writes only `day_changes`.
 */
export async function createDailyTables(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    -- Number of changes of a day. Its aggregates are valid while the number is the one that they were computed at.
    create table ${schema}.day_changes (
      app_id integer not null,
      local_date date not null,
      changes bigint not null,
      primary key (app_id, local_date)
    ) with (fillfactor = 50);

    create table ${schema}.aggregated_days (
      app_id integer not null,
      local_date date not null,
      -- The value in \`day_changes\` when the day was aggregated.
      changes bigint not null,
      -- The last position at which one of its facts changed: the aggregates are valid for reports from there on.
      changed_position bigint not null,
      primary key (app_id, local_date)
    );

    -- Human touchpoints by these columns; \`facts\` is their number.
    create table ${schema}.daily_touchpoints (
      app_id integer not null,
      local_date date not null,
      -- Whether the row is of one client, or of all.
      by_client boolean not null,
      kind text not null,
      source_key bigint not null,
      client_key bigint,
      facts integer not null
    );
    create index on ${schema}.daily_touchpoints (app_id, by_client, local_date);

    -- App events in force by these columns. \`value\` is their sum in the app's currency; in another currency it is the
    -- value of each of them, as each is converted by itself.
    create table ${schema}.daily_app_events (
      app_id integer not null,
      local_date date not null,
      by_client boolean not null,
      source text not null,
      category text not null,
      source_key bigint,
      client_key bigint,
      touchpoint_kind text,
      is_first_of_device boolean not null,
      is_first_of_user boolean,
      currency text,
      facts integer not null,
      -- How many times \`value\` counts.
      times integer not null,
      value numeric
    );
    create index on ${schema}.daily_app_events (app_id, by_client, local_date);

    -- Devices with app events in force, by category and, under the category null, of all categories, where first events
    -- do not matter. A row has each of its devices once.
    create table ${schema}.daily_devices (
      app_id integer not null,
      local_date date not null,
      by_client boolean not null,
      source text not null,
      category text,
      source_key bigint,
      client_key bigint,
      touchpoint_kind text,
      is_first_of_device boolean,
      is_first_of_user boolean,
      -- Whether these devices are in no other row of the day and category, so that their numbers can be added.
      are_alone boolean not null,
      device_keys uuid[] not null
    );
    create index on ${schema}.daily_devices (app_id, by_client, category, local_date);
  `);
}
