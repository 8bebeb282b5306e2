import type { ReadModel, SchemaName } from "../../projection.ts";
import { inForce } from "../table.ts";
import type { Day } from "./changed-days.ts";

/** A day whose counts are missing or hold no more. */
export interface UncountedDay extends Day {
  /** How often the day has changed: the same number again means that it is at rest. */
  readonly changes: bigint;
}

/** The days to count, the oldest first. */
export async function uncountedDays({ db, schema }: ReadModel): Promise<readonly UncountedDay[]> {
  const { rows } = await db.raw<{ rows: UncountedDay[] }>(
    `select app_id, local_date, day_changes.changes
     from ${schema}.day_changes
     left join ${schema}.counted_days as counted using (app_id, local_date)
     where counted.changes is distinct from day_changes.changes
     order by local_date, app_id`,
  );
  return rows;
}

const keysOfAnyEvents = "app_id, local_date, source, source_key, touchpoint_kind";
const keysOfCategories = `${keysOfAnyEvents}, category, is_first_of_device, is_first_of_user`;
const keysOfEvents = `${keysOfCategories}, currency`;

/**
 * Counts the facts of a day as one snapshot has them: once without telling clients apart, once with. When the facts
 * change meanwhile, the counts are those of before, and say so.
 * @param currency of the app
 */
export async function countDay({ db, schema }: ReadModel, day: Day, currency: string): Promise<void> {
  const asked = { appId: day.app_id, day: day.local_date, currency, inForce: inForce.toString() };
  const ofDay = "app_id = :appId and local_date = :day";
  await db.transaction(
    async (trx) => {
      const statements = [
        "set local synchronous_commit = off; set local work_mem = '64MB'",
        `delete from ${schema}.counted_days where ${ofDay}`,
        `delete from ${schema}.daily_touchpoints where ${ofDay}`,
        `delete from ${schema}.daily_app_events where ${ofDay}`,
        `delete from ${schema}.daily_devices where ${ofDay}`,
        `insert into ${schema}.daily_touchpoints
           (app_id, local_date, by_client, kind, source_key, client_key, facts)
         select app_id, local_date, grouping(client_key) = 0, kind, source_key, client_key, count(*)
         from ${schema}.touchpoints
         where ${ofDay} and human
         group by app_id, local_date, kind, source_key, grouping sets ((), (client_key))
         order by grouping(client_key)`,
        `insert into ${schema}.daily_app_events
           (app_id, local_date, by_client, source, category, source_key, client_key, touchpoint_kind,
            is_first_of_device, is_first_of_user, currency, facts, times, value)
         select app_id, local_date, grouping(client_key) = 0, source, category, source_key, client_key, touchpoint_kind,
           is_first_of_device, is_first_of_user, currency, count(*),
           case when foreign_value is null then 1 else count(*) end, coalesce(foreign_value, sum(value))
         from ${schema}.app_events
         cross join lateral (select case when value <> 0 and currency <> :currency then value end as foreign_value) as each
         where ${ofDay} and to_position = :inForce
         group by ${keysOfEvents}, foreign_value, grouping sets ((), (client_key))
         order by grouping(client_key)`,
        devicesOfDay(schema, keysOfAnyEvents, ofDay),
        devicesOfDay(schema, `${keysOfAnyEvents}, client_key`, ofDay),
        devicesOfDay(schema, keysOfCategories, ofDay),
        devicesOfDay(schema, `${keysOfCategories}, client_key`, ofDay),
        `insert into ${schema}.counted_days (app_id, local_date, changes, changed_position)
         select app_id, local_date, changes, greatest(
           (select max(position) from ${schema}.touchpoints where ${ofDay}),
           (select max(greatest(from_position, case when to_position < :inForce then to_position end))
            from ${schema}.app_events where ${ofDay}))
         from ${schema}.day_changes
         where ${ofDay}`,
      ];
      for (const text of statements) await trx.raw(text, text.includes(":appId") ? asked : []);
    },
    { isolationLevel: "repeatable read" },
  );
}

/** @param keys the columns by which rows are told apart */
function devicesOfDay(schema: SchemaName, keys: string, ofDay: string): string {
  const byClient = keys.includes("client_key");
  const together = keys.includes("category") ? "category, device_key" : "device_key";
  return `
    insert into ${schema}.daily_devices (by_client, ${keys}, are_alone, device_keys)
    select ${byClient}, ${keys}, is_alone, array_agg(device_key)
    from (
      select *, count(*) over (partition by ${together}) = 1 as is_alone
      from (
        select distinct ${keys}, device_key
        from ${schema}.app_events
        where ${ofDay} and to_position = :inForce
      ) as held
    ) as device
    group by ${keys}, is_alone`;
}
