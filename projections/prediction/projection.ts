import type { Knex } from "knex";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import type { ContextCallEvent } from "../../domain/prediction/events.ts";
import { defineProjection, type SchemaName } from "../projection.ts";
import { lastOfEach } from "../write-rows.ts";

/**
 * Calls of the context endpoint, successful and refused ones, by their request ids
 * (contract/prediction.md#recorded-calls).
 */
export const contextCallsProjection = defineProjection({
  name: "context_calls",
  version: 1,
  group: "facts",
  handles: ["ContextAnswered", "ContextRefused"],
  parkBy: "fact",
  tables: { context_calls: ["app_id", "request_id"] },
  createTables: createContextCallsTable,
  apply: applyCalls,
});

/**
 * The last record of a request id counts: one that was late for the response is followed by one of the actual response.
 */
async function applyCalls(
  trx: Knex.Transaction,
  schema: SchemaName,
  calls: readonly RecordedEvent<ContextCallEvent>[],
): Promise<void> {
  if (calls.length === 0) return;
  const last = lastOfEach(calls, ({ data }) => `${data.appId} ${data.requestId}`);
  await trx.raw(
    `insert into ${schema}.context_calls as stored (app_id, request_id, stream, revision, position)
     select * from unnest(
       :appIds::integer[], :requestIds::uuid[], :streams::text[], :revisions::bigint[], :positions::bigint[]
     )
     on conflict (app_id, request_id) do update
     set stream = excluded.stream, revision = excluded.revision, position = excluded.position
     where stored.position < excluded.position`,
    {
      appIds: last.map(({ data }) => data.appId),
      requestIds: last.map(({ data }) => data.requestId),
      streams: last.map(({ stream }) => stream),
      revisions: last.map(({ revision }) => revision.toString()),
      positions: last.map(({ position }) => position.commit.toString()),
    },
  );
}

/** One row per call of the context endpoint: its position in the log. */
async function createContextCallsTable(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
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
