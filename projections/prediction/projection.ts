import type { Knex } from "knex";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { lastOfEach } from "../../domain/items-by-key.ts";
import type { ContextCallEvent } from "../../domain/prediction/events.ts";
import { defineProjection, type SchemaName } from "../projection.ts";

/**
 * Calls of the context endpoint, successful and refused ones, by their request ids
 * (contract/prediction.md#recorded-calls).
 */
export const contextCallsProjection = defineProjection({
  name: "context_calls",
  version: 2,
  group: "facts",
  handles: ["ContextAnswered", "ContextRefused"],
  parkBy: "fact",
  tables: { context_calls: ["app_id", "request_id"] },
  createTables: createContextCallsTable,
  apply: applyCalls,
});

/**
 * The last record of a request id counts, but one of `CONTEXT_LOG_UNAVAILABLE` before all others: that was the response,
 * and the record that was too late for another response may arrive after it.
 */
async function applyCalls(
  trx: Knex.Transaction,
  schema: SchemaName,
  calls: readonly RecordedEvent<ContextCallEvent>[],
): Promise<void> {
  if (calls.length === 0) return;
  const byPrecedence = [...calls].sort((one, other) => Number(isWithdrawal(one)) - Number(isWithdrawal(other)));
  const last = lastOfEach(byPrecedence, ({ data }) => `${data.appId} ${data.requestId}`);
  await trx.raw(
    `insert into ${schema}.context_calls as stored (app_id, request_id, stream, revision, position, is_withdrawal)
     select * from unnest(
       :appIds::integer[], :requestIds::uuid[], :streams::text[], :revisions::bigint[], :positions::bigint[],
       :withdrawals::boolean[]
     )
     on conflict (app_id, request_id) do update
     set
       stream = excluded.stream,
       revision = excluded.revision,
       position = excluded.position,
       is_withdrawal = excluded.is_withdrawal
     where (stored.is_withdrawal, stored.position) < (excluded.is_withdrawal, excluded.position)`,
    {
      appIds: last.map(({ data }) => data.appId),
      requestIds: last.map(({ data }) => data.requestId),
      streams: last.map(({ stream }) => stream),
      revisions: last.map(({ revision }) => revision.toString()),
      positions: last.map(({ position }) => position.commit.toString()),
      withdrawals: last.map(isWithdrawal),
    },
  );
}

function isWithdrawal({ type, data }: ContextCallEvent): boolean {
  return type === "ContextRefused" && data.code === "CONTEXT_LOG_UNAVAILABLE";
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
      is_withdrawal boolean not null,
      primary key (app_id, request_id)
    );
  `);
}
