import type { Knex } from "knex";
import { inForce } from "../in-force.ts";
import type { SchemaName } from "../projection.ts";
import {
  createPredictionQueryIndexes,
  createPredictionTables,
  predictionTables,
} from "./app-events/prediction-tables.ts";
import { attributionTables, createAttributionTables } from "./attribution/tables.ts";
import { createDailyTables } from "./daily-aggregates/tables.ts";
import { createDetailTables, createExportQueryIndexes, detailTables, sinceEpoch } from "./detail-tables.ts";
import { createUploadedQueryIndexes, createUploadedTables, uploadedTables } from "./uploads/tables.ts";

export { sinceEpoch };

/**
 * Everything a report reads. Dimension rows are stored once, under a 64-bit hash of their values (`hash-key.ts`).
 * Touchpoints never change and have a `position`. App events have versions, from `from_position` (inclusive) to
 * `to_position` (exclusive), because a late target event changes their label and an earlier event may become the first
 * of its category. A report as of P reads touchpoints with `position <= P` and app events with
 * `from_position <= P < to_position`.
 */
export async function createFactsTables(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.apps (
      app_id integer primary key,
      timezone text not null,
      currency text not null,
      -- Hex digits: the key of the hashes of device ids.
      salt text not null
    );

    create table ${schema}.sources (
      app_id integer not null,
      source_key bigint not null,
      channel text not null,
      channel_type text not null,
      tracking_link_id bigint,
      is_reengagement text not null,
      campaign text, campaign_id text,
      ad_group text, ad_group_id text,
      ad_creative text, ad_creative_id text,
      content text,
      term text, term_id text,
      sub_id text, sub_id_1 text, sub_id_2 text, sub_id_3 text,
      sub_publisher text, sub_sub_publisher_1 text, sub_sub_publisher_2 text, sub_sub_publisher_3 text,
      primary key (app_id, source_key)
    );

    create table ${schema}.clients (
      app_id integer not null,
      client_key bigint not null,
      os_name text, os_version text, app_version text,
      country text, language text,
      device_model text, device_manufacturer text, device_type text,
      primary key (app_id, client_key)
    );

    create table ${schema}.touchpoints (
      app_id integer not null,
      touchpoint_id uuid not null,
      position bigint not null,
      kind text not null,
      human boolean not null,
      at timestamptz not null,
      local_date date not null,
      local_hour smallint not null,
      source_key bigint not null,
      client_key bigint not null,
      os text, os_version text,
      device_key uuid,
      gaid_key bigint, idfa_key bigint, idfv_key bigint, ip_key bigint,
      -- What keeps it from winning at any time (eligibility-class.ts).
      eligibility_class smallint not null,
      primary key (app_id, touchpoint_id)
    );

    create table ${schema}.app_events (
      app_id integer not null,
      event_id uuid not null,
      from_position bigint not null,
      to_position bigint not null default ${inForce},
      at timestamptz not null,
      local_date date not null,
      local_hour smallint not null,
      source text not null,
      category text not null,
      device_key uuid not null,
      user_key bigint,
      value numeric,
      currency text,
      client_key bigint not null,
      -- The label: the winner that the event is attributed to. All null: unattributed.
      source_key bigint,
      touchpoint_id uuid,
      touchpoint_kind text,
      matched_by text,
      -- Event time and log position of the target event that was won.
      labelled_at timestamptz,
      labelled_position bigint,
      -- Position from which the decision takes effect.
      labelled_from bigint,
      is_first_of_device boolean not null,
      is_first_of_user boolean,
      -- At most one version of an event is in force: the versions of an event end at different positions.
      primary key (app_id, event_id, to_position)
    );
    create index on ${schema}.app_events (app_id, device_key, at);

    -- First event of a category by device and by user, by event time, then position.
    create table ${schema}.firsts (
      app_id integer not null,
      subject uuid not null,
      category text not null,
      event_id uuid not null,
      at timestamptz not null,
      position bigint not null,
      primary key (app_id, subject, category)
    );

    -- Whether channels are self-attributing. A built-in channel without a row is as built in.
    create table ${schema}.channel_flags (
      channel text not null,
      from_position bigint not null,
      to_position bigint not null default ${inForce},
      self_attributing boolean not null,
      primary key (channel, from_position)
    );
  `);
  await createAttributionTables(trx, schema);
  await createDetailTables(trx, schema);
  await createUploadedTables(trx, schema);
  await createPredictionTables(trx, schema);
  await createDailyTables(trx, schema);
}

/** Indexes by which reports and the attribution reactor find rows. */
export async function createFactsQueryIndexes(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create index on ${schema}.touchpoints (app_id, local_date);
    -- Matching touchpoints are read newest first and class by class, so that a flood of one class hides no other.
    create index on ${schema}.touchpoints (app_id, device_key, eligibility_class, at) where device_key is not null;
    create index on ${schema}.touchpoints (app_id, gaid_key, eligibility_class, at) where gaid_key is not null;
    create index on ${schema}.touchpoints (app_id, idfa_key, eligibility_class, at) where idfa_key is not null;
    create index on ${schema}.touchpoints (app_id, idfv_key, eligibility_class, at) where idfv_key is not null;
    create index on ${schema}.touchpoints (app_id, ip_key, eligibility_class, at) where ip_key is not null;
    -- For days of a few categories; for days of all of them it is searched once per category.
    create index on ${schema}.app_events (app_id, category, local_date);
    -- Impressions and installs of a channel in a month are counted up to a thousand.
    create index on ${schema}.sources (app_id, channel);
    create index on ${schema}.touchpoints (app_id, source_key, local_date) where human and kind = 'impression';
    create index on ${schema}.app_events (app_id, source_key, local_date) where category = 'app_install';
    create index on ${schema}.open_targets (position);
    create index on ${schema}.late_touchpoints (position) where is_open;
  `);
  await createExportQueryIndexes(trx, schema);
  await createPredictionQueryIndexes(trx, schema);
  await createUploadedQueryIndexes(trx, schema);
}

/** Tables that `verify` compares with a replay, and the columns that order their rows; it computes derived tables again. */
export const factsTables = {
  apps: ["app_id"],
  sources: ["app_id", "source_key"],
  clients: ["app_id", "client_key"],
  touchpoints: ["app_id", "touchpoint_id"],
  app_events: ["app_id", "event_id", "from_position"],
  ...detailTables,
  firsts: ["app_id", "subject", "category"],
  ...attributionTables,
  channel_flags: ["channel", "from_position"],
  ...predictionTables,
  ...uploadedTables,
} as const;
