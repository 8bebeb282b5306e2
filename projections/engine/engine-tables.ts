import type { Knex } from "knex";

/**
 * Makes the engine's own tables where they are missing: schema `touchledger` for what it remembers, schema `work` for
 * what is no projection. Safe to run in several processes at once.
 */
export async function createEngineTables(db: Knex): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw("select pg_advisory_xact_lock(hashtextextended('touchledger engine tables', 0))");
    await trx.raw(`
      create schema if not exists touchledger;
      create schema if not exists work;

      -- Who may write, for each role of which a deployment has one: the epoch counts its holders and fences the former.
      create table if not exists touchledger.roles (
        role text primary key,
        epoch bigint not null,
        held_since timestamptz not null default now()
      );

      -- How far a group has come, in the log named here. No position: before the first event.
      create table if not exists touchledger.checkpoints (
        group_name text primary key,
        commit_position bigint,
        prepare_position bigint,
        last_event_id uuid,
        log_id text not null,
        -- Events of the log up to here.
        events bigint not null default 0,
        epoch bigint not null default 0,
        -- Versions that the group's runner applies, by projection.
        applies jsonb not null default '{}',
        advanced_at timestamptz not null default now()
      );

      create sequence if not exists touchledger.builds;

      -- The builds of every projection's tables. A live one stands at its group's checkpoint, always.
      create table if not exists touchledger.generations (
        schema_name text primary key,
        projection text not null,
        version integer not null,
        build bigint not null,
        group_name text not null,
        state text not null check (state in ('building', 'live', 'retired')),
        -- Of a build: how far it has come.
        commit_position bigint,
        events bigint not null default 0,
        created_at timestamptz not null default now(),
        promoted_at timestamptz,
        -- Of a retired one; null while nothing has taken its place.
        drop_after timestamptz
      );
      create unique index if not exists generations_live on touchledger.generations (projection) where state = 'live';

      -- Events that a generation could not take, and those behind them in the same stream where streams are set aside.
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

      -- Events that an operator has left out of a projection for good.
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
  });
}
