import type { Knex } from "knex";
import { eventsOfType, type RecordedOfType } from "../../domain/event-catalogue.ts";
import { defineProjection, type SchemaName } from "../projection.ts";
import { insertRows } from "../write-rows.ts";

/** The conversion models of apps and the mappings of channels, in all versions (contract/conversion-values.md). */
export const conversionValuesProjection = defineProjection({
  name: "conversion_values",
  version: 1,
  group: "control",
  handles: ["ConversionModelPublished", "PartnerEventsMapped"],
  parkBy: "stream",
  tables: { models: ["app_id", "from_position"], partner_events: ["app_id", "channel", "from_position"] },
  createTables: createConversionValuesTables,
  async apply(trx, schema, batch) {
    const models = eventsOfType(batch, "ConversionModelPublished").map((event) => ({
      ...versionRow(event),
      version: event.data.version,
      model: event.data.model,
      published_at: event.recordedAt.toISOString(),
    }));
    await insertVersions(trx, schema, "models", ["app_id"], models);
    const mappings = eventsOfType(batch, "PartnerEventsMapped").map((event) => ({
      ...versionRow(event),
      channel: event.data.channel,
      events: event.data.events,
      mapped_at: event.recordedAt.toISOString(),
    }));
    await insertVersions(trx, schema, "partner_events", ["app_id", "channel"], mappings);
  },
});

function versionRow({ data, position, metadata }: RecordedOfType<"ConversionModelPublished" | "PartnerEventsMapped">) {
  return {
    app_id: data.appId,
    from_position: String(position.commit),
    actor: metadata.actor,
    request_id: metadata.requestId,
  };
}

/** Inserts versions; each ends where the next one of its key begins. */
async function insertVersions(
  trx: Knex.Transaction,
  schema: SchemaName,
  table: string,
  key: readonly string[],
  rows: readonly { readonly app_id: number }[],
): Promise<void> {
  if (rows.length === 0) return;
  await insertRows(trx, schema, table, [...key, "from_position"], rows);
  const names = key.join(", ");
  await trx.raw(
    `update ${schema}.${table} as stored
     set to_position = next.from_position
     from (
       select ${names}, from_position as replaced,
         lead(from_position) over (partition by ${names} order by from_position) as from_position
       from ${schema}.${table}
       where to_position = 9223372036854775807 and app_id = any(:appIds::integer[])
     ) as next
     where ${key.map((column) => `stored.${column} = next.${column}`).join(" and ")}
       and stored.from_position = next.replaced
       and next.from_position is not null`,
    { appIds: rows.map(({ app_id }) => app_id) },
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
