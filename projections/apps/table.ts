import type { Knex } from "knex";
import type { SchemaName } from "../projection.ts";

/** Apps, their tokens without secrets, and channels that were registered or changed. */
export async function createAppsTables(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
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
