import type { Knex } from "knex";
import { type AuditedEvent, auditedEvent, auditedTypes } from "../../domain/audit/audited-events.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { defineProjection, type SchemaName } from "../projection.ts";

/** What was done and by whom, an event a row (contract/administration.md#audit-trail). */
export const auditProjection = defineProjection({
  name: "audit",
  version: 1,
  group: "control",
  handles: auditedTypes,
  parkBy: "fact",
  tables: { audit: ["position"] },
  createTables: createAuditTable,
  createQueryIndexes,
  async apply(trx, schema, batch) {
    const audited = batch.map((event) => ({ event, ...auditedEvent(event) }));
    const apps = await appsOfSubjects(trx, schema, audited);
    await insertRows(
      trx,
      schema,
      audited.map(({ event, appId, subject, data }) =>
        rowOf(event, appId ?? apps.get(subject.id) ?? null, subject, data),
      ),
    );
  },
});

/** The apps of subjects of which an event does not name it: the first event about each does. */
async function appsOfSubjects(
  trx: Knex.Transaction,
  schema: SchemaName,
  audited: readonly AuditedEvent[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await trx.raw<{ rows: { id: string; appId: number }[] }>(
    `select distinct on (subject_id) subject_id as id, app_id as "appId"
     from ${schema}.audit
     where subject_id = any(?::text[]) and app_id is not null`,
    [audited.filter(({ appId }) => appId === null).map(({ subject }) => subject.id)],
  );
  const stored = rows.map(({ id, appId }) => [id, appId] as const);
  return new Map([
    ...stored,
    ...audited.flatMap(({ appId, subject }) => (appId === null ? [] : [[subject.id, appId] as const])),
  ]);
}

function rowOf(
  { type, position, metadata }: RecordedEvent,
  appId: number | null,
  subject: AuditedEvent["subject"],
  data: AuditedEvent["data"],
) {
  return {
    position: String(position.commit),
    app_id: appId,
    type,
    subject_kind: subject.kind,
    subject_id: subject.id,
    at: metadata.occurredAt,
    actor: metadata.actor,
    request_id: metadata.requestId,
    correlation_id: metadata.correlationId,
    data,
  };
}

async function insertRows(
  trx: Knex.Transaction,
  schema: SchemaName,
  rows: readonly ReturnType<typeof rowOf>[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(rows[0] ?? {}).join(", ");
  await trx.raw(
    `insert into ${schema}.audit (${columns})
     select ${columns}
     from jsonb_to_recordset(:rows) as audited
       (position bigint, app_id integer, type text, subject_kind text, subject_id text, at timestamptz, actor jsonb,
        request_id text, correlation_id text, data jsonb)
     on conflict (position) do nothing`,
    { rows: JSON.stringify(rows) },
  );
}

async function createAuditTable(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.audit (
      position bigint primary key,
      -- Null: of the whole instance.
      app_id integer,
      type text not null,
      subject_kind text not null,
      subject_id text not null,
      at timestamptz not null,
      actor jsonb not null,
      request_id text not null,
      correlation_id text not null,
      -- Without secrets.
      data jsonb not null
    );
    -- An event may leave out the app of its subject.
    create index on ${schema}.audit (subject_id);
  `);
}

async function createQueryIndexes(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create index on ${schema}.audit (app_id, position);
    create index on ${schema}.audit (request_id);
    create index on ${schema}.audit (correlation_id);
  `);
}
