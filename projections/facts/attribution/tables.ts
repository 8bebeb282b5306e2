import type { Knex } from "knex";
import { inForce } from "../../in-force.ts";
import type { SchemaName } from "../../projection.ts";

/** Target events, decisions and the to-do lists of the attribution reactor (contract/attribution.md#decisions). */
export async function createAttributionTables(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    -- Every target event, with all keys by which it can be matched.
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

    -- A row for each key of a target event, by which a late touchpoint finds it (target-events.ts).
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
      -- The trace context of the event, JSON.
      trace text,
      primary key (app_id, event_id)
    );

    -- Touchpoints that were recorded after a target event that they could have won.
    create table ${schema}.late_touchpoints (
      app_id integer not null,
      event_id uuid not null,
      touchpoint_id uuid not null,
      position bigint not null,
      at timestamptz not null,
      kind text not null,
      matched_by text not null,
      -- It beats the winner, and no revision is recorded yet: the reactor's other to-do list.
      is_open boolean not null default false,
      primary key (app_id, event_id, touchpoint_id)
    );

    -- Every decision and revision, as recorded, with the position of its target event.
    create table ${schema}.decisions (
      app_id integer not null,
      event_id uuid not null,
      device_key uuid not null,
      at timestamptz not null,
      target_position bigint not null,
      -- Position from which it takes effect.
      from_position bigint not null,
      -- Of a revision: the late touchpoint that caused it.
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

    -- Rules that an app has set, and the positions of the target events that they apply to.
    create table ${schema}.attribution_rules (
      app_id integer not null,
      from_position bigint not null,
      to_position bigint not null default ${inForce},
      rules jsonb not null,
      primary key (app_id, from_position)
    );
  `);
}

/** Tables that `verify` compares, and the columns that order their rows. */
export const attributionTables = {
  targets: ["app_id", "event_id"],
  target_keys: ["app_id", "key", "at", "position"],
  open_targets: ["app_id", "event_id"],
  late_touchpoints: ["app_id", "event_id", "touchpoint_id"],
  decisions: ["app_id", "event_id", "from_position"],
  attribution_rules: ["app_id", "from_position"],
} as const;
