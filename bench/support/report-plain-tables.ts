import type { Knex } from "knex";
import type { SchemaName } from "../../projections/projection.ts";

/**
 * Writes the same data as an analyst would store them: one wide row for each event, without versions or positions, with
 * an index by date and one by device.
 */
export async function writePlainTables(trx: Knex.Transaction, facts: SchemaName, plain: SchemaName): Promise<void> {
  const source = `channel, channel_type, campaign, campaign_id, ad_group, ad_creative, tracking_link_id`;
  const client = `os_name, clients.os_version, app_version, country, device_model`;
  await trx.raw(`
    create schema ${plain};
    create table ${plain}.events as
      select event_id, at, local_date as date, source, category, device_key as device_id, user_key as user_id, value,
        currency, is_first_of_device, touchpoint_kind, ${source}, ${client}
      from ${facts}.app_events
      left join ${facts}.sources using (app_id, source_key)
      join ${facts}.clients using (app_id, client_key)
      order by from_position;
    create index on ${plain}.events (date);
    create index on ${plain}.events (device_id, at);
    create table ${plain}.touchpoints as
      select touchpoint_id, at, local_date as date, kind, human, ${source}, ${client}
      from ${facts}.touchpoints
      join ${facts}.sources using (app_id, source_key)
      join ${facts}.clients using (app_id, client_key)
      order by position;
    create index on ${plain}.touchpoints (date);
  `);
}
