import type { Knex } from "knex";
import type { SchemaName } from "../../projection.ts";

/**
 * The tables in which context prediction looks up a device and its install (contract/prediction.md#checks), and the
 * features of installs (contract/prediction.md#features).
 */
export async function createPredictionTables(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    -- Identifiers that devices have sent, as keyed hashes (device-aliases.ts), and the device that sent each last.
    create table ${schema}.device_aliases (
      app_id integer not null,
      alias uuid not null,
      device_key uuid not null,
      -- Of the last event with it, by event time, then position.
      at timestamptz not null,
      position bigint not null,
      -- Whether another device has sent it too.
      is_shared boolean not null,
      primary key (app_id, alias)
    ) with (fillfactor = 70);

    -- The latest install of each device, by event time, then position.
    create table ${schema}.device_installs (
      app_id integer not null,
      device_key uuid not null,
      event_id uuid not null,
      at timestamptz not null,
      position bigint not null,
      primary key (app_id, device_key)
    );

    -- To-do list of the reactor that fills install_vectors: a row for each install until its features are stored.
    create table ${schema}.open_vectors (
      app_id integer not null,
      event_id uuid not null,
      position bigint not null,
      primary key (app_id, event_id)
    );

    -- Features of installs, in the order of featureNames: another order or number needs a new version of the projection.
    -- They follow from the facts beside them and never change (install-vectors.ts).
    create table ${schema}.install_vectors (
      app_id integer not null,
      event_id uuid not null,
      features double precision[] not null,
      primary key (app_id, event_id)
    );
  `);
}

export async function createPredictionQueryIndexes(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`create index on ${schema}.open_vectors (position)`);
}

/** Tables that `verify` compares with a replay. How far vectors and their to-do list are filled also depends on time. */
export const predictionTables = {
  device_aliases: ["app_id", "alias"],
  device_installs: ["app_id", "device_key"],
} as const;
