import type { Knex } from "knex";
import type { SchemaName } from "../../projection.ts";

/**
 * What only raw exports read of touchpoints and app events (contract/exports.md#requesting): beside the facts, so that
 * reports do not read past it. Rows never change; their keys are the order of exports.
 */
export async function createDetailTables(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    -- What only raw exports read of an app event, all of its versions alike, in the order in which exports read it.
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

    -- The same of a touchpoint of a person; those of bots are in no export.
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

/** Time of a touchpoint or an app event as exports find it by. */
export const sinceEpoch = "at - timestamptz 'epoch'";

/**
 * The indexes by which exports read the facts, pages of a few minutes: by the ids of their details they would be twenty
 * times slower. On `at` itself the planner takes these for looking up the latest event of a device as well, which made
 * the facts three times slower.
 */
export async function createExportQueryIndexes(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create index on ${schema}.touchpoints (app_id, (${sinceEpoch}));
    create index on ${schema}.app_events (app_id, (${sinceEpoch}));
  `);
}

/** Those that `verify` compares, and the columns that order their rows. */
export const detailTables = {
  app_event_details: ["app_id", "at", "event_id"],
  touchpoint_details: ["app_id", "at", "touchpoint_id"],
} as const;
