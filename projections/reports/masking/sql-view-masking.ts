import { maskingLimits } from "../../../domain/reporting/masking.ts";
import { selfAttributingTables } from "../../facts/dimensions/channel-flags.ts";
import { inForce } from "../../in-force.ts";
import type { SchemaName } from "../../projection.ts";
import { countedMonths } from "./count-channel-months.ts";

/** The last position: rows in force there are in force now. */
const now = `${inForce - 1n}`;

/**
 * For the `with` of a statement over all apps, as of now: `self_attributing`, the self-attributing channels, and
 * `shown`, their dates that are not withheld (contract/reports.md#masking). Local dates follow Postgres' own time
 * zones.
 * @param clock the instant of now, in SQL
 */
export function shownTables(schema: SchemaName, clock: string): readonly string[] {
  const months = `select app_id, month, month::date as from_date, (month + interval '1 month - 1 day')::date as to_date
      from of_app
      cross join generate_series(date_trunc('month', oldest), date_trunc('month', today), '1 month') as month`;
  const channels = `select distinct app_id, channel from ${schema}.sources join self_attributing using (channel)`;
  const counted = countedMonths(schema, { months, channels, position: now });
  return [
    ...selfAttributingTables(schema, now),
    `of_app as (
      select app_id, today, (today - ${maskingLimits.days})::timestamp as oldest
      from ${schema}.apps
      cross join lateral (select (${clock} at time zone timezone)::date as today) as calendar
    )`,
    `shown as materialized (
      select app_id, channel, greatest(from_date, oldest::date) as from_date, to_date
      from (${counted}) as counted
      join of_app using (app_id)
      where impressions > ${maskingLimits.impressions} and installs > ${maskingLimits.installs}
    )`,
  ];
}

/**
 * SQL of whether a fact about a user is shown, over the tables of {@link shownTables}.
 * @param fact an alias of rows with `app_id` and `local_date`
 * @param channel the fact's channel; null: it has none
 */
export function isShown(fact: string, channel: string): string {
  return `(
      ${channel} is null
      or not exists (select from self_attributing where self_attributing.channel = ${channel})
      or exists (
        select from shown
        where shown.app_id = ${fact}.app_id and shown.channel = ${channel}
          and ${fact}.local_date between shown.from_date and shown.to_date
      )
    )`;
}
