import type { Knex } from "knex";
import { eventsOfType, type RecordedOfType } from "../../domain/event-catalogue.ts";
import { endSuperseded, inForce } from "../in-force.ts";
import { defineProjection, type SchemaName } from "../projection.ts";
import { insertMissingRows } from "../write-rows.ts";

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
  await insertMissingRows(trx, schema, table, [...key, "from_position"], rows);
  await trx.raw(endSuperseded(`${schema}.${table}`, key, "app_id = any(:appIds::integer[])"), {
    appIds: rows.map(({ app_id }) => app_id),
  });
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
      to_position bigint not null default ${inForce},
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
      to_position bigint not null default ${inForce},
      events jsonb not null,
      mapped_at timestamptz not null,
      actor jsonb not null,
      request_id text not null,
      primary key (app_id, channel, from_position)
    );
  `);
}
