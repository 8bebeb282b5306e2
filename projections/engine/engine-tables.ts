import type { Knex } from "knex";
import { addMissingColumns } from "../add-missing-columns.ts";

/** The id that a database was given with the engine's tables, which are created where they are missing. */
export async function databaseIdOf(db: Knex): Promise<string> {
  await createEngineTables(db);
  const { rows } = await db.raw<{ rows: { id: string }[] }>("select id from touchledger.database");
  const [database] = rows;
  if (database === undefined) throw new Error("The database has lost its id (touchledger.database)");
  return database.id;
}

/**
 * Creates the engine's tables where they are missing: schema `touchledger` for its state, schema `work` for what
 * reactors derive from the log without being projections. Safe to run in several processes at once.
 */
export async function createEngineTables(db: Knex): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw("select pg_advisory_xact_lock(hashtextextended('touchledger engine tables', 0))");
    await trx.raw(`
      create schema if not exists touchledger;
      create schema if not exists work;

      -- The leader of each role: the epoch counts the leaders, and fences the writes of former ones.
      create table if not exists touchledger.roles (
        role text primary key,
        epoch bigint not null
      );

      -- How far a group has come, in the log named by log_id. No position: before the first event.
      create table if not exists touchledger.checkpoints (
        group_name text primary key,
        commit_position bigint,
        prepare_position bigint,
        last_event_id uuid,
        log_id text not null,
        -- Number of events of the log up to the position.
        events bigint not null default 0,
        epoch bigint not null default 0,
        -- Versions that the group's runner applies, by projection.
        applies jsonb not null default '{}',
        -- Commit position of the log's head when the group began with empty tables: before it, they are not read.
        readable_from bigint
      );

      -- One row: the id of this database.
      create table if not exists touchledger.database (
        id uuid not null default gen_random_uuid(),
        is_only boolean primary key default true check (is_only)
      );
      insert into touchledger.database default values on conflict do nothing;

      -- When tokens were last used, to the minute. Not in the log: rows are overwritten.
      create table if not exists work.token_uses (
        token_id text primary key,
        used_at timestamptz not null
      ) with (fillfactor = 50);

      create sequence if not exists touchledger.builds;

      -- The generations of every projection's tables. A live one is always at its group's checkpoint.
      create table if not exists touchledger.generations (
        schema_name text primary key,
        projection text not null,
        version integer not null,
        build bigint not null,
        group_name text not null,
        state text not null check (state in ('building', 'live', 'retired')),
        -- While building: how far it has come.
        commit_position bigint,
        events bigint not null default 0,
        promoted_at timestamptz,
        -- Of a retired one; null until its successor is live.
        drop_after timestamptz
      );
      create unique index if not exists generations_live on touchledger.generations (projection) where state = 'live';

      -- Events that a generation could not apply, and later events of their streams where streams are parked.
      create table if not exists touchledger.parked_events (
        schema_name text not null references touchledger.generations on delete cascade,
        commit_position bigint not null,
        prepare_position bigint not null,
        projection text not null,
        group_name text not null,
        event_id uuid not null,
        stream text not null,
        event_type text not null,
        park_by text not null check (park_by in ('fact', 'stream')),
        error text not null,
        parked_at timestamptz not null default now(),
        primary key (schema_name, commit_position)
      );
      create index if not exists parked_events_stream on touchledger.parked_events (schema_name, stream);

      -- Events that an operator has skipped in a projection.
      create table if not exists touchledger.skipped_events (
        projection text not null,
        event_id uuid not null,
        commit_position bigint not null,
        error text not null,
        skipped_at timestamptz not null default now(),
        primary key (projection, event_id)
      );

      -- Everything up to position was recorded at or before recorded_at.
      create table if not exists touchledger.log_clock (
        position bigint primary key,
        recorded_at timestamptz not null
      );
      create index if not exists log_clock_recorded_at on touchledger.log_clock (recorded_at, position);
    `);
    await addMissingColumns(trx, "touchledger.checkpoints", { readable_from: "bigint" });
  });
}
