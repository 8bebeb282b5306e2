import type { Knex } from "knex";
import type { SchemaName } from "../projection.ts";

/**
 * One row an upload. `position` is that of `UploadReceived`; from `ingested_position` on its rows are in force.
 * `row_count` is null unless the file was accepted.
 */
export async function createUploadsTable(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.uploads (
      request_id uuid primary key,
      app_id integer not null,
      kind text not null,
      status text not null,
      prev_status text,
      faults jsonb,
      file_name text,
      file_bytes bigint not null,
      sha256 text not null,
      row_count integer,
      received_at timestamptz not null,
      updated_at timestamptz not null,
      position bigint not null,
      ingested_position bigint
    );
    -- The to-do list of the upload pipeline.
    create index on ${schema}.uploads (position) where status in ('uploaded', 'validated', 'ingested');
  `);
}
