import type { Knex } from "knex";
import type { ContextCallEvent } from "../../domain/prediction/events.ts";
import type { RecordedEvent } from "../../domain/recorded-event.ts";
import type { Projection, SchemaName } from "../projection.ts";
import { createContextCallsTable } from "./table.ts";

/** Calls of the context endpoint, answered and refused alike, by their request ids (D11.6). */
export const contextCallsProjection: Projection = {
  name: "context_calls",
  version: 1,
  group: "facts",
  handles: ["ContextAnswered", "ContextRefused"] satisfies ContextCallEvent["type"][],
  parkBy: "fact",
  tables: { context_calls: ["app_id", "request_id"] },
  createTables: createContextCallsTable,
  apply: (trx, schema, batch) =>
    applyCalls(trx, schema, batch as unknown as readonly RecordedEvent<ContextCallEvent>[]),
};

/** Of equal request ids the first counts: rows are inserted in the order of the log. */
async function applyCalls(
  trx: Knex.Transaction,
  schema: SchemaName,
  calls: readonly RecordedEvent<ContextCallEvent>[],
): Promise<void> {
  if (calls.length === 0) return;
  await trx.raw(
    `insert into ${schema}.context_calls (app_id, request_id, stream, revision)
     select * from unnest(:appIds::integer[], :requestIds::uuid[], :streams::text[], :revisions::bigint[])
     on conflict do nothing`,
    {
      appIds: calls.map(({ data }) => data.appId),
      requestIds: calls.map(({ data }) => data.requestId),
      streams: calls.map(({ stream }) => stream),
      revisions: calls.map(({ revision }) => revision.toString()),
    },
  );
}
