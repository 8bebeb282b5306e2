import type { Knex } from "knex";
import type { SchemaName } from "../projection.ts";

/** One row an export, ever. `position` is that of its request: the position that its rows are read at. */
export async function createRawExportsTable(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.raw_exports (
      report_id bigint primary key,
      app_id integer not null,
      position bigint not null,
      stage text not null,
      query jsonb not null,
      requested_at timestamptz not null,
      row_count bigint,
      bytes bigint,
      sha256 text,
      resume_points jsonb,
      failure text
    );
    -- The exporter's to-do list.
    create index on ${schema}.raw_exports (position) where stage = 'requested';
  `);
}
