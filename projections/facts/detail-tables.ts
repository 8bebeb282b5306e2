import type { Knex } from "knex";
import type { SchemaName } from "../projection.ts";

/**
 * The columns of touchpoints and app events that only raw exports read (contract/exports.md#requesting), in tables of
 * their own, so that reports read less. Rows never change; exports read them in the order of their keys.
 */
export async function createDetailTables(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    -- The same for all versions of an app event.
    create table ${schema}.app_event_details (
      app_id integer not null,
      at timestamptz not null,
      event_id uuid not null,
      device_id text not null,
      external_user_id text,
      action text,
      label text,
      -- JSON, members in the order in which they were sent.
      properties text,
      ip text,
      user_agent text,
      primary key (app_id, at, event_id)
    );

    -- Touchpoints of bots have no row: they are in no export.
    create table ${schema}.touchpoint_details (
      app_id integer not null,
      at timestamptz not null,
      touchpoint_id uuid not null,
      device_id text,
      ip text,
      user_agent text,
      primary key (app_id, at, touchpoint_id)
    );
  `);
}

/** Time of a touchpoint or an app event, in the indexes of exports. */
export const sinceEpoch = "at - timestamptz 'epoch'";

/**
 * The indexes by which exports read pages of a few minutes of facts: joining facts by the ids of their details takes
 * twenty times longer. They are not on `at` itself, because the planner then used them to look up the latest event of a
 * device as well, which made the projection three times slower.
 */
export async function createExportQueryIndexes(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create index on ${schema}.touchpoints (app_id, (${sinceEpoch}));
    create index on ${schema}.app_events (app_id, (${sinceEpoch}));
  `);
}

/** Tables that `verify` compares, and the columns that order their rows. */
export const detailTables = {
  app_event_details: ["app_id", "at", "event_id"],
  touchpoint_details: ["app_id", "at", "touchpoint_id"],
} as const;
