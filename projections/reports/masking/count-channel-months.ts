import type { Knex } from "knex";
import { type ChannelMonth, type DateRange, maskingLimits, monthsOf } from "../../../domain/reporting/masking.ts";
import { selfAttributingTables } from "../../facts/dimensions/channel-flags.ts";
import type { SchemaName } from "../../projection.ts";

/** An app at a log position. */
export interface AppAt {
  readonly appId: number;
  readonly position: bigint;
}

/**
 * The channels that are self-attributing at a position (contract/administration.md#channels,
 * contract/reports.md#masking).
 * @param isSeen those that have ever brought the app a touchpoint; false: the others, whose months are all withheld
 */
export async function selfAttributingChannels(
  trx: Knex.Transaction,
  schema: SchemaName,
  { appId, position }: AppAt,
  isSeen = true,
): Promise<readonly string[]> {
  const { rows } = await trx.raw<{ rows: { channel: string }[] }>(
    `with ${selfAttributingTables(schema, ":position").join(", ")}
     select channel from self_attributing
     where exists (
       select from ${schema}.sources as source
       where source.app_id = :appId and source.channel = self_attributing.channel
     ) = :isSeen
     order by channel collate "C"`,
    { appId, position: position.toString(), isSeen },
  );
  return rows.map(({ channel }) => channel);
}

/**
 * Numbers of impressions (human, and uploaded) and installs of channels at a position, in the whole months that overlap
 * a range (contract/reports.md#masking). Counts stop above the limit, and installs of a month with too few impressions
 * are not counted.
 */
export async function channelMonths(
  db: Knex | Knex.Transaction,
  schema: SchemaName,
  { appId, position }: AppAt,
  channels: readonly string[],
  range: DateRange,
): Promise<readonly ChannelMonth[]> {
  const months = monthsOf(range);
  const counted = countedMonths(schema, {
    months:
      "select :appId::integer as app_id, * from unnest(:names::text[], :froms::date[], :tos::date[]) as month (month, from_date, to_date)",
    channels: "select :appId::integer as app_id, unnest(:channels::text[]) as channel",
    position: ":position",
  });
  const { rows } = await db.raw<{ rows: ChannelMonth[] }>(
    `select channel, month, impressions::integer as impressions, installs::integer as installs from (${counted}) as counted`,
    {
      appId,
      position: position.toString(),
      channels: [...channels],
      names: months.map(({ month }) => month),
      froms: months.map(({ from }) => from),
      tos: months.map(({ to }) => to),
    },
  );
  return rows;
}

/** Tables in SQL that {@link countedMonths} reads. */
interface MonthsToCount {
  /** `app_id`, `month`, `from_date` and `to_date`. */
  readonly months: string;
  /** `app_id` and `channel`. */
  readonly channels: string;
  readonly position: string;
}

/** The statement of {@link channelMonths}, for any apps: the columns of both, `impressions` and `installs`. */
export function countedMonths(schema: SchemaName, { months, channels, position }: MonthsToCount): string {
  const [impressionsEnough, installsEnough] = [maskingLimits.impressions + 1, maskingLimits.installs + 1];
  const impressionsLeft = countOf(
    `${schema}.touchpoints as fact`,
    `fact.human and fact.kind = 'impression' and fact.position <= ${position}`,
    schema,
    `${impressionsEnough} - queried.uploaded`,
  );
  const installs = countOf(
    `${schema}.app_events as fact`,
    `fact.category = 'app_install' and fact.from_position <= ${position} and fact.to_position > ${position}`,
    schema,
    `${installsEnough}`,
  );
  return `with month as (${months}),
     of_report as (${channels}),
     uploaded as (
       select app_id, spend.channel, month.month, least(sum(spend.impressions), ${impressionsEnough})::bigint as impressions
       from month
       join ${schema}.spend using (app_id)
       join of_report using (app_id, channel)
       where spend.local_date between month.from_date and month.to_date
         and spend.from_position <= ${position} and spend.to_position > ${position}
       group by app_id, spend.channel, month.month
     ), queried as materialized (
       select app_id, channel, month, from_date, to_date, coalesce(uploaded.impressions, 0) as uploaded
       from of_report
       join month using (app_id)
       left join uploaded using (app_id, channel, month)
     ), seen as materialized (
       select queried.*, uploaded + (${impressionsLeft}) as impressions from queried
     )
     select app_id, channel, month, from_date, to_date, impressions,
       case when impressions < ${impressionsEnough} then 0 else (${installs}) end as installs
     from seen as queried`;
}

/**
 * How many facts of a channel's month there are (`queried`), counted up to `max`. Each link of the channel is looked
 * up by itself: without the inner limit the planner reads whole months instead, 10 s for 5 channels of 400,000
 * touchpoints.
 */
function countOf(facts: string, conditions: string, schema: SchemaName, max: string): string {
  return `select count(*) from (
      select from ${schema}.sources as source
      cross join lateral (
        select from ${facts}
        where fact.app_id = queried.app_id and fact.source_key = source.source_key
          and fact.local_date between queried.from_date and queried.to_date and ${conditions}
        limit ${max}
      ) as of_link
      where source.app_id = queried.app_id and source.channel = queried.channel
      limit ${max}
    ) as counted`;
}
