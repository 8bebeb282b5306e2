import type { Knex } from "knex";
import type { SchemaName } from "../projection.ts";
import { createPredictionQueryIndexes, createPredictionTables, predictionTables } from "./app-events/tables.ts";
import { createDailyTables } from "./daily-aggregates/tables.ts";
import { createDetailTables, createExportQueryIndexes, detailTables, sinceEpoch } from "./dimensions/tables.ts";
import { createUploadedQueryIndexes, createUploadedTables, inForce, uploadedTables } from "./uploads/tables.ts";

export { inForce, sinceEpoch };

/**
 * Everything a report reads. Dimensions stand once, under a 64-bit hash of their values (`hash-key.ts`); touchpoints
 * are append-only and carry `position`; app events can be relabelled (a target event that arrives late, an earlier
 * first) and carry `from_position` (inclusive) and `to_position` (exclusive). A report at P reads touchpoints with
 * `position <= P` and app events with `from_position <= P < to_position`.
 */
export async function createFactsTables(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.apps (
      app_id integer primary key,
      timezone text not null,
      -- Hex digits: the key by which ids of its devices are hashed.
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
      -- What may keep it from winning whatever its time (eligibility-class.ts).
      match_class smallint not null,
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
      -- The label: whose winner this event carries. All null: unattributed.
      source_key bigint,
      touchpoint_id uuid,
      touchpoint_kind text,
      matched_by text,
      -- Event time and log position of the target event that the label comes from.
      labelled_at timestamptz,
      labelled_position bigint,
      -- Where the decision takes effect that gave the label.
      labelled_from bigint,
      is_first_of_device boolean not null,
      is_first_of_user boolean,
      -- One version of an event at most is in force: those of one event end at different positions.
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

    -- Every target event, with all that it can be matched by.
    create table ${schema}.targets (
      app_id integer not null,
      event_id uuid not null,
      position bigint not null,
      at timestamptz not null,
      category text not null,
      device_key uuid not null,
      click_id uuid,
      gaid_key bigint, idfa_key bigint, idfv_key bigint, ip_key bigint,
      os text, os_version text,
      primary key (app_id, event_id)
    );

    create index on ${schema}.targets (app_id, at);

    -- What a touchpoint that comes late finds target events by: a row for each of their keys (target-identifier-keys.ts).
    create table ${schema}.target_keys (
      app_id integer not null,
      key bigint not null,
      at timestamptz not null,
      position bigint not null,
      event_id uuid not null,
      primary key (app_id, key, at, position)
    );

    -- The attribution reactor's to-do list: target events without a decision.
    create table ${schema}.open_targets (
      app_id integer not null,
      event_id uuid not null,
      position bigint not null,
      primary key (app_id, event_id)
    );

    -- Touchpoints that came later than a target event which they could have won.
    create table ${schema}.late_touchpoints (
      app_id integer not null,
      event_id uuid not null,
      touchpoint_id uuid not null,
      position bigint not null,
      at timestamptz not null,
      kind text not null,
      matched_by text not null,
      -- It takes the event from its winner, and no revision says so yet: the reactor's other to-do list.
      is_open boolean not null default false,
      primary key (app_id, event_id, touchpoint_id)
    );

    -- Every decision and revision, as recorded, with where its target event stands.
    create table ${schema}.decisions (
      app_id integer not null,
      event_id uuid not null,
      device_key uuid not null,
      at timestamptz not null,
      target_position bigint not null,
      -- Where it takes effect.
      from_position bigint not null,
      -- Of a revision: because of which touchpoint.
      late_touchpoint_id uuid,
      window_ends_at timestamptz not null,
      source_key bigint,
      touchpoint_id uuid,
      touchpoint_kind text,
      matched_by text,
      decision jsonb not null,
      primary key (app_id, event_id, from_position)
    );
    create index on ${schema}.decisions (app_id, device_key, at);

    -- Rules that an app has set, with the positions of target events that they are for.
    create table ${schema}.attribution_rules (
      app_id integer not null,
      from_position bigint not null,
      to_position bigint not null default ${inForce},
      rules jsonb not null,
      primary key (app_id, from_position)
    );

    -- What channels of every app have been said to be; built-in ones are what they are until then.
    create table ${schema}.channel_flags (
      channel text not null,
      from_position bigint not null,
      to_position bigint not null default ${inForce},
      self_attributing boolean not null,
      primary key (channel, from_position)
    );
  `);
  await createDetailTables(trx, schema);
  await createUploadedTables(trx, schema);
  await createPredictionTables(trx, schema);
  await createDailyTables(trx, schema);
}

/** Indexes by which reports and the attribution reactor find rows. */
export async function createFactsQueryIndexes(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create index on ${schema}.touchpoints (app_id, local_date);
    -- What matches a target event is read newest first, each class by itself, so that no flood of one hides another.
    create index on ${schema}.touchpoints (app_id, device_key, match_class, at) where device_key is not null;
    create index on ${schema}.touchpoints (app_id, gaid_key, match_class, at) where gaid_key is not null;
    create index on ${schema}.touchpoints (app_id, idfa_key, match_class, at) where idfa_key is not null;
    create index on ${schema}.touchpoints (app_id, idfv_key, match_class, at) where idfv_key is not null;
    create index on ${schema}.touchpoints (app_id, ip_key, match_class, at) where ip_key is not null;
    -- For days of a few categories; for days of all of them it is searched once a category.
    create index on ${schema}.app_events (app_id, category, local_date);
    -- How many impressions and installs a channel had in a month is counted only up to a thousand.
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

/** Tables that `verify` compares, and the columns that order their rows: all but what is derived from them. */
export const factsTables = {
  apps: ["app_id"],
  sources: ["app_id", "source_key"],
  clients: ["app_id", "client_key"],
  touchpoints: ["app_id", "touchpoint_id"],
  app_events: ["app_id", "event_id", "from_position"],
  ...detailTables,
  firsts: ["app_id", "subject", "category"],
  targets: ["app_id", "event_id"],
  target_keys: ["app_id", "key", "at", "position"],
  open_targets: ["app_id", "event_id"],
  late_touchpoints: ["app_id", "event_id", "touchpoint_id"],
  decisions: ["app_id", "event_id", "from_position"],
  attribution_rules: ["app_id", "from_position"],
  channel_flags: ["channel", "from_position"],
  ...predictionTables,
  ...uploadedTables,
} as const;
