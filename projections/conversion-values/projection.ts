import type { Knex } from "knex";
import { eventsOfType, type RecordedOfType } from "../../domain/event-catalogue.ts";
import { defineProjection, type SchemaName } from "../projection.ts";

/** What apps' conversion values mean and meant, and for which channels (contract/conversion-values.md). */
export const conversionValuesProjection = defineProjection({
  name: "conversion_values",
  version: 1,
  group: "control",
  handles: ["ConversionModelPublished", "PartnerEventsMapped"],
  parkBy: "stream",
  tables: { models: ["app_id", "from_position"], partner_events: ["app_id", "channel", "from_position"] },
  createTables: createConversionValuesTables,
  async apply(trx, schema, batch) {
    await storeModels(trx, schema, eventsOfType(batch, "ConversionModelPublished"));
    await storePartnerEvents(trx, schema, eventsOfType(batch, "PartnerEventsMapped"));
  },
});

async function storeModels(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedOfType<"ConversionModelPublished">[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => ({
    app_id: event.data.appId,
    from_position: String(event.position.commit),
    version: event.data.version,
    model: event.data.model,
    published_at: event.recordedAt.toISOString(),
    actor: event.metadata.actor,
    request_id: event.metadata.requestId,
  }));
  await trx.raw(
    `insert into ${schema}.models (app_id, from_position, version, model, published_at, actor, request_id)
     select * from jsonb_to_recordset(:rows) as published (
       app_id integer, from_position bigint, version integer, model jsonb, published_at timestamptz, actor jsonb,
       request_id text
     )
     on conflict do nothing`,
    { rows: JSON.stringify(rows) },
  );
  // Each version ends where the next one begins.
  await trx.raw(
    `update ${schema}.models as stored
     set to_position = next.from_position
     from (
       select app_id, from_position as replaced, lead(from_position) over (partition by app_id order by from_position)
         as from_position
       from ${schema}.models
       where to_position = 9223372036854775807 and app_id = any(:appIds::integer[])
     ) as next
     where stored.app_id = next.app_id
       and stored.from_position = next.replaced
       and next.from_position is not null`,
    { appIds: events.map(({ data }) => data.appId) },
  );
}

async function storePartnerEvents(
  trx: Knex.Transaction,
  schema: SchemaName,
  events: readonly RecordedOfType<"PartnerEventsMapped">[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => ({
    app_id: event.data.appId,
    channel: event.data.channel,
    from_position: String(event.position.commit),
    events: event.data.events,
    mapped_at: event.recordedAt.toISOString(),
    actor: event.metadata.actor,
    request_id: event.metadata.requestId,
  }));
  await trx.raw(
    `insert into ${schema}.partner_events (app_id, channel, from_position, events, mapped_at, actor, request_id)
     select * from jsonb_to_recordset(:rows) as mapped (
       app_id integer, channel text, from_position bigint, events jsonb, mapped_at timestamptz, actor jsonb,
       request_id text
     )
     on conflict do nothing`,
    { rows: JSON.stringify(rows) },
  );
  await trx.raw(
    `update ${schema}.partner_events as stored
     set to_position = next.from_position
     from (
       select app_id, channel, from_position as replaced,
         lead(from_position) over (partition by app_id, channel order by from_position) as from_position
       from ${schema}.partner_events
       where to_position = 9223372036854775807 and app_id = any(:appIds::integer[])
     ) as next
     where stored.app_id = next.app_id
       and stored.channel = next.channel
       and stored.from_position = next.replaced
       and next.from_position is not null`,
    { appIds: events.map(({ data }) => data.appId) },
  );
}

/**
 * Every version of apps' conversion models and of channels' mappings, each in force from `from_position` (inclusive) to
 * `to_position` (exclusive): the version in force at P is a predicate.
 */
async function createConversionValuesTables(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  await trx.raw(`
    create table ${schema}.models (
      app_id integer not null,
      from_position bigint not null,
      to_position bigint not null default 9223372036854775807,
      version integer not null,
      model jsonb not null,
      published_at timestamptz not null,
      actor jsonb not null,
      request_id text not null,
      primary key (app_id, from_position)
    );

    create table ${schema}.partner_events (
      app_id integer not null,
      channel text not null,
      from_position bigint not null,
      to_position bigint not null default 9223372036854775807,
      events jsonb not null,
      mapped_at timestamptz not null,
      actor jsonb not null,
      request_id text not null,
      primary key (app_id, channel, from_position)
    );
  `);
}
