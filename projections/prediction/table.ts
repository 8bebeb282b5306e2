import type { Knex } from "knex";
import type { SchemaName } from "../projection.ts";

/** One row a call of the context endpoint, ever: where the log has it. */
export async function createContextCallsTable(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.context_calls (
      app_id integer not null,
      request_id uuid not null,
      stream text not null,
      revision bigint not null,
      position bigint not null,
      primary key (app_id, request_id)
    );
  `);
}
