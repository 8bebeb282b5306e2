import type { Knex } from "knex";
import { type AuditedEvent, type AuditSubject, auditedEvent, auditedTypes } from "../../domain/audit/audited-events.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { defineProjection, type SchemaName } from "../projection.ts";
import { insertMissingRows } from "../write-rows.ts";

/** The audit trail, one row per event (contract/administration.md#audit-trail). */
export const auditProjection = defineProjection({
  name: "audit",
  version: 4,
  group: "control",
  handles: auditedTypes,
  parkBy: "fact",
  tables: { audit: ["position"] },
  createTables: createAuditTable,
  createQueryIndexes,
  async apply(trx, schema, batch) {
    const audited = batch.map((event) => ({ event, ...auditedEvent(event) }));
    const apps = await appsOfSubjects(trx, schema, audited);
    const appOf = ({ appId, subject }: AuditedEvent): number | null =>
      appId === "of_subject" ? (apps.get(keyOf(subject)) ?? unknownApp) : appId;
    const rows = audited.map((one) => rowOf(one.event, appOf(one), one.subject, one.data));
    await insertMissingRows(trx, schema, "audit", ["position"], rows);
  },
});

/** No app has this number, so no app is shown the events of an unknown one. */
const unknownApp = 0;

const keyOf = ({ kind, id }: AuditSubject): string => `${kind} ${id}`;

/** The apps of subjects, by {@link keyOf}: only the first event about a subject has to name its app. */
async function appsOfSubjects(
  trx: Knex.Transaction,
  schema: SchemaName,
  audited: readonly AuditedEvent[],
): Promise<ReadonlyMap<string, number>> {
  const ofSubjects = audited.flatMap(({ appId, subject }) => (appId === "of_subject" ? [subject.id] : []));
  const { rows } = await trx.raw<{ rows: (AuditSubject & { readonly appId: number })[] }>(
    `select distinct subject_kind as kind, subject_id as id, app_id as "appId"
     from ${schema}.audit
     where subject_id = any(?::text[]) and app_id <> ?`,
    [ofSubjects, unknownApp],
  );
  const stored = rows.map(({ appId, ...subject }) => [keyOf(subject), appId] as const);
  const named = audited.flatMap(({ appId, subject }) =>
    typeof appId === "number" ? [[keyOf(subject), appId] as const] : [],
  );
  return new Map([...stored, ...named]);
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

async function createAuditTable(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.audit (
      position bigint primary key,
      -- Null: of the whole instance; 0: of an unknown app.
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
    -- An event may leave out the app of its subject. A subject's history is read from its end.
    create index on ${schema}.audit (subject_id, position);
  `);
}

async function createQueryIndexes(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create index on ${schema}.audit (app_id, position);
    create index on ${schema}.audit (request_id);
    create index on ${schema}.audit (correlation_id);
  `);
}
