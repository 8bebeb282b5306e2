import type { Knex } from "knex";
import { createFactsQueryIndexes, createFactsTables } from "../../projections/facts/tables.ts";
import type { SchemaName } from "../../projections/projection.ts";
import { dimensionCounts, reportApp, writeReportDimensions } from "./report-dimensions.ts";

/** Size of the generated data. Each device has at least one app event, three of five devices have a touchpoint. */
export interface ReportDataSize {
  readonly devices: number;
  readonly appEvents: number;
  readonly touchpoints: number;
}

/** First and last of the 92 dates of the generated data, in the app's time zone. */
export const reportDays = { from: "2026-01-01", to: "2026-04-02" } as const;

const start = `timestamptz '${reportDays.from} 00:00:00+09'`;
const end = `timestamptz '2026-04-03 00:00:00+09'`;
const inZone = (instant: string): string => `(${instant} at time zone '${reportApp.timezone}')`;

/** SQL of a pseudo-random number from 0 to 1, always the same for a number and a seed. */
const random = (number: string, seed: number): string =>
  `((hashint8extended(${number}::bigint, ${seed}) >> 11) & 9007199254740991) / 9007199254740992.0::float8`;
/** SQL that selects one of `count` numbers from 0, low ones much more often than high ones. */
const skewed = (count: number, random: string): string => `floor(${count} * power(${random}, 2))::bigint`;
const uuid = (kind: string, number: string): string => `md5('${kind} ' || ${number})::uuid`;

/**
 * Fills the tables that reports read with rows as the projection writes them for 92 generated days. Each device
 * installs; three fifths of the installs are won by a click up to 7 days before. Opens, views, orders and others
 * follow, most of them soon, a quarter of them by a sixteenth of the devices. Some amounts are in other currencies.
 * Other touchpoints have no device. The same size gives the same rows. Positions are in the order of time.
 */
export async function writeReportData(trx: Knex.Transaction, schema: SchemaName, size: ReportDataSize): Promise<void> {
  await trx.raw(
    "set local work_mem = '256MB'; set local maintenance_work_mem = '512MB'; set local synchronous_commit = off",
  );
  await trx.raw(`create schema ${schema}`);
  await createFactsTables(trx, schema);
  await writeReportDimensions(trx, schema);
  await trx.raw(`analyze ${schema}.sources, ${schema}.clients, source, client, browser`);
  await trx.raw(devices(size));
  await trx.raw(happenings(size));
  const restoreIndexes = await dropIndexes(trx, schema, ["touchpoints", "app_events"]);
  await trx.raw(touchpointRows(schema));
  await trx.raw(appEventRows(schema));
  await restoreIndexes();
  await trx.raw(appEventDetails(schema));
  await createFactsQueryIndexes(trx, schema);
  await trx.raw(exchangeRates(schema));
  await trx.raw(`
    insert into ${schema}.day_changes (app_id, local_date, changes)
    select app_id, local_date, 1
    from (select app_id, local_date from ${schema}.touchpoints
          union select app_id, local_date from ${schema}.app_events) as day`);
  await trx.raw(`analyze ${schema}.touchpoints, ${schema}.app_events, ${schema}.app_event_details`);
}

function devices({ devices }: ReportDataSize): string {
  return `
    create temp table device on commit drop as
    select n, ${uuid("device", "n")} as device_key,
      case when ${random("n", 1)} < 0.4
        then ('x' || encode(substr(sha256(convert_to('${reportApp.salt}:user:user-' || n, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint
      end as user_key,
      client.key as client_key,
      ${start} + ((floor(${random("n", 3)} * 91.9 * 86400000)) || ' ms')::interval as installed_at,
      source.key as source_key,
      case when source.key is not null then ${uuid("click", "n")} end as touchpoint_id
    from generate_series(1, ${devices}) as n
    join client on client.number = ${skewed(dimensionCounts.client, random("n", 2))}
    left join source on source.number = ${skewed(dimensionCounts.source, random("n", 5))} and ${random("n", 4)} < 0.6;
    analyze device`;
}

/** SQL of the temporary table with everything that happens, in the order of the log. */
function happenings({ devices, appEvents, touchpoints }: ReportDataSize): string {
  const others = `select 'other' as what, n, null::bigint as device,
      ${start} + (floor(power(${random("n", 11)}, 0.9) * 92 * 86400000) || ' ms')::interval as at
    from generate_series(1, ${touchpoints} - (select count(source_key) from device)) as n`;
  return `
    create temp table happening on commit drop as
    select *, 1000 * row_number() over (order by at, what, n) as position
    from (
      select 'install' as what, n, n as device, installed_at as at from device
      union all
      select 'click', n, n, installed_at - (floor(power(${random("n", 12)}, 3) * 7 * 86400000) || ' ms')::interval
      from device where source_key is not null
      union all
      select 'event', n, device.n, installed_at + interval '1 s'
        + (floor(power(${random("event", 13)}, 1.5) * extract(epoch from ${end} - interval '2 s' - installed_at) * 1000) || ' ms')::interval
      from (select event, 1 + ${skewed(devices, random("event", 14))} as n from generate_series(1, ${appEvents} - ${devices}) as event) as drawn
      join device using (n)
      union all
      ${others}
    ) as happened;
    analyze happening`;
}

function touchpointRows(schema: SchemaName): string {
  return `
    insert into ${schema}.touchpoints
      (app_id, touchpoint_id, position, kind, human, at, local_date, local_hour, source_key, client_key, os, os_version,
       device_key, eligibility_class)
    select ${reportApp.id}, touchpoint_id, position, kind, human, at, ${inZone("at")}::date,
      extract(hour from ${inZone("at")}), source_key, client_key, os_name, os_version, device_key,
      case when human and kind = 'click' then 0 when human then 3 when kind = 'click' then 6 else 7 end
    from (
      select device.touchpoint_id, position, 'click' as kind, true as human, at, device.source_key,
        ${random("happening.n", 21)} as drawn, device.device_key
      from happening join device on device.n = happening.device
      where what = 'click'
      union all
      select ${uuid("other", "happening.n")}, position, case when ${random("happening.n", 22)} < 0.85 then 'impression' else 'click' end,
        ${random("happening.n", 23)} < 0.95, at, source.key, ${random("happening.n", 21)}, null
      from happening
      join source on source.number = ${skewed(dimensionCounts.source, random("happening.n", 24))}
      where what = 'other'
    ) as touched
    join browser on browser.number = ${skewed(dimensionCounts.browser, "drawn")}
    join ${schema}.clients on clients.app_id = ${reportApp.id} and clients.client_key = browser.key
    order by position`.replace("source_key, client_key, os_name", "source_key, browser.key, os_name");
}

/** SQL of the app events: those in the 30 days after an install have its winner, except deeplink opens. */
function appEventRows(schema: SchemaName): string {
  const isWon = `device.source_key is not null and category <> 'app_deeplink_open'
    and (what = 'install' or at <= installed_at + interval '30 days')`;
  const ifWon = (value: string): string => `case when ${isWon} then ${value} end`;
  return `
    insert into ${schema}.app_events
      (app_id, event_id, from_position, at, local_date, local_hour, source, category, device_key, user_key, value, currency,
       client_key, source_key, touchpoint_id, touchpoint_kind, matched_by, labelled_at, labelled_position, labelled_from,
       is_first_of_device, is_first_of_user)
    select ${reportApp.id}, event_id, position, at, ${inZone("at")}::date, extract(hour from ${inZone("at")}), 'app',
      category, device_key, user_key, value, case when value is not null then currency end, client_key,
      ${ifWon("device.source_key")}, ${ifWon("touchpoint_id")}, ${ifWon("'click'")}, ${ifWon("'device_id'")},
      ${ifWon("installed_at")}, ${ifWon("install_position")}, ${ifWon("install_position")}, is_first,
      case when user_key is not null then is_first end
    from (
      select *, row_number() over (partition by device, category order by position) = 1 as is_first
      from (
        select *, case when category in ('app_order_complete', 'app_order_cancel') then round((3 + 120 * power(drawn, 4))::numeric, 2)
            when category = 'app_subscribe' then 9.99 end as value
        from (
          select what, position, at, device, ${random("n", 32)} as drawn,
            case when what = 'install' then ${uuid("install", "n")} else ${uuid("event", "position")} end as event_id,
            case when what = 'install' then 'app_install' else ${categoryOf(random("position", 31))} end as category,
            ${currencyOf(random("position", 33))} as currency
          from happening where what in ('install', 'event')
        ) as named
      ) as valued
    ) as event
    join (
      select device.*, happening.position as install_position
      from device join happening on happening.device = device.n and what = 'install'
    ) as device on device.n = event.device
    order by position`;
}

/** SQL of the details of app events that exports read. No bench exports touchpoints. */
function appEventDetails(schema: SchemaName): string {
  return `
    insert into ${schema}.app_event_details
      (app_id, at, event_id, device_id, external_user_id, label, properties, ip, user_agent)
    select app_id, at, event_id, 'device-' || left(device_key::text, 13),
      case when user_key is not null then 'user-' || left(device_key::text, 8) end,
      case when category = 'app_product_view' then 'shelf ' || local_hour end,
      case when value is not null then '{"items":' || (from_position % 7) || ',"store":"main"}' end,
      '203.0.113.' || (from_position % 250), 'ShopApp/2.4 (Android 14; Pixel 8) okhttp/4.12'
    from ${schema}.app_events
    order by at, event_id`;
}

/** SQL of exchange rates, set every Monday. */
function exchangeRates(schema: SchemaName): string {
  return `
    insert into ${schema}.exchange_rates (date, base, currency, rate, from_position)
    select monday, 'USD', currency, case when currency = 'USD' then 1 else round((rate * (1 + 0.02 * sin(monday - date '2026-01-01')))::numeric, 4) end, 1
    from generate_series(date '2025-12-29', date '2026-04-02', interval '7 days') as week
    cross join lateral (select week::date as monday) as named
    cross join (values ('USD', 1.0), ('EUR', 0.92), ('JPY', 155.0)) as rates (currency, rate)`;
}

const categoryOf = (drawn: string): string =>
  chosen(drawn, [
    [0.46, "app_open"],
    [0.7, "app_product_view"],
    [0.8, "app_add_to_cart"],
    [0.86, "app_order_complete"],
    [0.92, "app_sign_in"],
    [0.96, "app_ad_impression"],
    [0.975, "app_deeplink_open"],
    [0.98, "app_subscribe"],
    [0.985, "app_order_cancel"],
    [1, "custom:level_up"],
  ]);
const currencyOf = (drawn: string): string =>
  chosen(drawn, [
    [0.03, "EUR"],
    [0.05, "JPY"],
    [1, reportApp.currency],
  ]);

function chosen(drawn: string, shares: readonly (readonly [below: number, value: string])[]): string {
  return `case ${shares.map(([below, value]) => `when ${drawn} < ${below} then '${value}'`).join(" ")} end`;
}

/**
 * Drops the indexes; returns a function that creates them again, which is much faster than maintaining them for each
 * row.
 */
async function dropIndexes(
  trx: Knex.Transaction,
  schema: SchemaName,
  tables: readonly string[],
): Promise<() => Promise<void>> {
  const { rows: keys } = await trx.raw<{ rows: { table: string; name: string; text: string }[] }>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as text
     from pg_constraint where contype = 'p' and conrelid = any(:tables::regclass[])`,
    { tables: tables.map((table) => `${schema}.${table}`) },
  );
  for (const { table, name } of keys) await trx.raw(`alter table ${table} drop constraint ${name}`);
  const { rows: others } = await trx.raw<{ rows: { name: string; text: string }[] }>(
    "select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as text from pg_index where indrelid = any(:tables::regclass[])",
    { tables: tables.map((table) => `${schema}.${table}`) },
  );
  for (const { name } of others) await trx.raw(`drop index ${name}`);
  return async () => {
    for (const { table, name, text } of keys) await trx.raw(`alter table ${table} add constraint ${name} ${text}`);
    for (const { text } of others) await trx.raw(text);
  };
}
