import type { ReadModel, SchemaName } from "../../projection.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { inForce } from "../tables.ts";

/** A day whose aggregates are missing or out of date. */
export interface DayToAggregate extends Day {
  /** Number of changes of the day; unchanged while the day is at rest. */
  readonly changes: bigint;
}

/** The days to aggregate, oldest first. */
export async function daysToAggregate({ db, schema }: ReadModel): Promise<readonly DayToAggregate[]> {
  const { rows } = await db.raw<{ rows: DayToAggregate[] }>(
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
 * Aggregates the facts of a day in one snapshot, with and without their clients. When the facts change meanwhile, the
 * aggregates are out of date, which `changes` shows.
 * @param currency of the app
 */
export async function aggregateDay({ db, schema }: ReadModel, day: Day, currency: string): Promise<void> {
  const bindings = { appId: day.app_id, day: day.local_date, currency, inForce: inForce.toString() };
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
         cross join lateral (
           select case when value <> 0 and currency <> :currency then value end as foreign_value
         ) as each
         where ${ofDay} and to_position = :inForce
         group by ${keysOfEvents}, foreign_value, grouping sets ((), (client_key))
         order by grouping(client_key)`,
        devicesOfDay(schema, keysOfAnyEvents, ofDay),
        devicesOfDay(schema, `${keysOfAnyEvents}, client_key`, ofDay),
        devicesOfDay(schema, keysOfCategories, ofDay),
        devicesOfDay(schema, `${keysOfCategories}, client_key`, ofDay),
        `insert into ${schema}.counted_days (app_id, local_date, changes, changed_position)
         select app_id,
                local_date,
                changes,
                greatest(
                  (
                    select max(position)
                    from ${schema}.touchpoints
                    where ${ofDay}
                  ),
                  (
                    select max(greatest(from_position, case when to_position < :inForce then to_position end))
                    from ${schema}.app_events
                    where ${ofDay}
                  )
                )
         from ${schema}.day_changes
         where ${ofDay}`,
      ];
      for (const text of statements) await trx.raw(text, text.includes(":appId") ? bindings : []);
    },
    { isolationLevel: "repeatable read" },
  );
}

/** @param keys the columns that identify a row */
function devicesOfDay(schema: SchemaName, keys: string, ofDay: string): string {
  const byClient = keys.includes("client_key");
  const partition = keys.includes("category") ? "category, device_key" : "device_key";
  return `
    insert into ${schema}.daily_devices (by_client, ${keys}, are_alone, device_keys)
    select ${byClient}, ${keys}, is_alone, array_agg(device_key)
    from (
      select *, count(*) over (partition by ${partition}) = 1 as is_alone
      from (
        select distinct ${keys}, device_key
        from ${schema}.app_events
        where ${ofDay} and to_position = :inForce
      ) as held
    ) as device
    group by ${keys}, is_alone`;
}

/** A day of an app, in its time zone. */
export interface Day {
  readonly app_id: number;
  /** `YYYY-MM-DD`. */
  readonly local_date: string;
}

const dayColumns: Columns<Day> = {
  app_id: { type: "integer", of: ({ app_id }) => app_id },
  local_date: { type: "date", of: ({ local_date }) => local_date },
};

/** Records that facts of days have changed, so that the aggregates of these days are out of date. */
export async function markDaysChanged({ schema, run }: StatementPipeline, changed: Iterable<Day>): Promise<void> {
  const days = [...new Map([...changed].map((day) => [`${day.app_id} ${day.local_date}`, day])).values()];
  if (days.length === 0) return;
  const { text, names, values } = unnest(days, dayColumns, "day");
  await run(
    `insert into ${schema}.day_changes as known (${names}, changes)
     select ${names}, 1
     from ${text}
     on conflict (app_id, local_date) do update
     set changes = known.changes + 1`,
    values,
  );
}
