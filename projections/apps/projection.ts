import type { Knex } from "knex";
import { eventsOfType } from "../../domain/event-catalogue.ts";
import { defineProjection, type SchemaName } from "../projection.ts";
import { changeApps, insertApps, insertTokens, revokeTokens, upsertChannels } from "./rows.ts";

/**
 * What is administered: apps, tokens, channels (contract/administration.md).
 */
export const appsProjection = defineProjection({
  name: "apps",
  version: 2,
  group: "control",
  handles: [
    "AppRegistered",
    "AppSettingsChanged",
    "TokenIssued",
    "TokenRevoked",
    "ChannelRegistered",
    "ChannelChanged",
  ],
  parkBy: "stream",
  tables: { apps: ["app_id"], tokens: ["app_id", "token_id"], channels: ["name"] },
  createTables: createAppsTables,
  async apply(trx, schema, batch) {
    await insertApps(trx, schema, eventsOfType(batch, "AppRegistered"));
    await changeApps(trx, schema, eventsOfType(batch, "AppSettingsChanged"));
    // A token is revoked after it was issued, so that each can be applied to the whole batch at once.
    await insertTokens(trx, schema, eventsOfType(batch, "TokenIssued"));
    await revokeTokens(trx, schema, eventsOfType(batch, "TokenRevoked"));
    await upsertChannels(trx, schema, eventsOfType(batch, "ChannelRegistered", "ChannelChanged"));
  },
});

/** Apps, their tokens without secrets, and channels that were registered or changed. */
async function createAppsTables(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.apps (
      app_id integer primary key,
      name text not null unique,
      timezone text not null,
      currency text not null,
      company_name text,
      owner_email text not null,
      ios_store_id text,
      android_package text,
      ios_store_url text,
      android_store_url text,
      desktop_url text,
      redirect_hosts text[] not null,
      registered_at timestamptz not null
    );

    create table ${schema}.tokens (
      app_id integer not null,
      token_id text not null,
      kind text not null,
      role text,
      channels text[] not null,
      label text,
      issued_at timestamptz not null,
      revoked_at timestamptz,
      primary key (app_id, token_id)
    );

    create table ${schema}.channels (
      name text primary key,
      display_name text not null,
      type text not null,
      self_attributing boolean not null,
      cost_integrated boolean not null,
      revision bigint not null
    );
  `);
}
