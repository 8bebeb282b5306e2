import type { Knex } from "knex";
import type { SchemaName } from "../projection.ts";

/**
 * Every version of apps' conversion models and of channels' mappings, each in force from `from_position` (inclusive) to
 * `to_position` (exclusive): the version in force at P is a predicate.
 */
export async function createConversionValuesTables(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.models (
      app_id integer not null,
      from_position bigint not null,
      to_position bigint not null default 9223372036854775807,
      version integer not null,
      model jsonb not null,
      published_at timestamptz not null,
      actor jsonb not null,
      request_id text not null,
      primary key (app_id, from_position)
    );

    create table ${schema}.partner_events (
      app_id integer not null,
      channel text not null,
      from_position bigint not null,
      to_position bigint not null default 9223372036854775807,
      events jsonb not null,
      mapped_at timestamptz not null,
      actor jsonb not null,
      request_id text not null,
      primary key (app_id, channel, from_position)
    );
  `);
}
