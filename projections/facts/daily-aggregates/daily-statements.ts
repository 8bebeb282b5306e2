import { inForce } from "../../in-force.ts";
import type { SchemaName } from "../../projection.ts";

/** A day of an app, in its time zone. */
export interface Day {
  readonly app_id: number;
  /** `YYYY-MM-DD`. */
  readonly local_date: string;
}

/** A table of daily aggregates. */
export interface DailyTable {
  readonly table: string;
  readonly columns: string;
  /** SQL that computes the rows of a day from its facts; its parameters are {@link bindingsOf}. */
  readonly select: string;
}

/** The parameters of statements about one day. */
export const bindingsOf = ({ app_id, local_date }: Day) => ({
  appId: app_id,
  day: local_date,
  inForce: inForce.toString(),
});

/** SQL condition: the row is of the day. */
export const isOfDay = "app_id = :appId and local_date = :day";

/** The tables of daily aggregates; the last one marks the day as aggregated. */
export function dailyTables(schema: SchemaName): readonly DailyTable[] {
  return [
    {
      table: "daily_touchpoints",
      columns: "app_id, local_date, by_client, kind, source_key, client_key, facts",
      select: `
        select app_id, local_date, grouping(client_key) = 0, kind, source_key, client_key, count(*)
        from ${schema}.touchpoints
        where ${isOfDay} and human
        group by app_id, local_date, kind, source_key, grouping sets ((), (client_key))
        order by grouping(client_key)`,
    },
    {
      table: "daily_app_events",
      columns: `app_id, local_date, by_client, source, category, source_key, client_key, touchpoint_kind,
        is_first_of_device, is_first_of_user, currency, facts, times, value`,
      select: `
        select app_id, local_date, grouping(client_key) = 0, source, category, source_key, client_key, touchpoint_kind,
          is_first_of_device, is_first_of_user, currency, count(*),
          case when foreign_value is null then 1 else count(*) end, coalesce(foreign_value, sum(value))
        from ${schema}.app_events
        cross join lateral (
          select case
            when value <> 0 and currency <> (select apps.currency from ${schema}.apps where apps.app_id = :appId) then value
          end as foreign_value
        ) as each
        where ${isOfDay} and to_position = :inForce
        group by app_id, local_date, source, category, source_key, touchpoint_kind, is_first_of_device,
          is_first_of_user, currency, foreign_value, grouping sets ((), (client_key))
        order by grouping(client_key)`,
    },
    {
      table: "daily_devices",
      columns: `app_id, local_date, by_client, source, category, source_key, client_key, touchpoint_kind,
        is_first_of_device, is_first_of_user, are_alone, device_keys`,
      select: [
        devicesBy(schema, { category: false, client: false }),
        devicesBy(schema, { category: false, client: true }),
        devicesBy(schema, { category: true, client: false }),
        devicesBy(schema, { category: true, client: true }),
      ].join(" union all "),
    },
    {
      table: "aggregated_days",
      columns: "app_id, local_date, changes, changed_position",
      select: `
        select app_id,
               local_date,
               changes,
               greatest(
                 (
                   select max(position)
                   from ${schema}.touchpoints
                   where ${isOfDay}
                 ),
                 (
                   select max(greatest(from_position, case when to_position < :inForce then to_position end))
                   from ${schema}.app_events
                   where ${isOfDay}
                 ),
                 -- A day without facts, which a repeated touchpoint with another date has named.
                 0
               )
        from ${schema}.day_changes
        where ${isOfDay}`,
    },
  ];
}

/** SQL of the sets of devices of a day: by category and first events or of all, by client or of all. */
function devicesBy(schema: SchemaName, by: { readonly category: boolean; readonly client: boolean }): string {
  const keys = [
    "app_id, local_date, source, source_key, touchpoint_kind",
    ...(by.category ? ["category, is_first_of_device, is_first_of_user"] : []),
    ...(by.client ? ["client_key"] : []),
  ].join(", ");
  const partition = by.category ? "category, device_key" : "device_key";
  const [category, ofDevice, ofUser] = by.category
    ? ["category", "is_first_of_device", "is_first_of_user"]
    : ["null", "null::boolean", "null::boolean"];
  return `
    select app_id, local_date, ${by.client}, source, ${category}, source_key,
      ${by.client ? "client_key" : "null::bigint"}, touchpoint_kind, ${ofDevice}, ${ofUser}, is_alone,
      array_agg(device_key order by device_key)
    from (
      select *, count(*) over (partition by ${partition}) = 1 as is_alone
      from (
        select distinct ${keys}, device_key
        from ${schema}.app_events
        where ${isOfDay} and to_position = :inForce
      ) as held
    ) as device
    group by ${keys}, is_alone`;
}
