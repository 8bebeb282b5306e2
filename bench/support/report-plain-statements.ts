import { reportDays } from "./report-data.ts";

const inRange = `date between '${reportDays.from}' and '${reportDays.to}'`;
const revenue = `sum(case when category = 'app_order_cancel' then -value else value end)
  filter (where category in ('app_order_complete', 'app_subscribe', 'app_order_cancel'))`;

const touches = (plain: string): string => `
  select date, channel, campaign, count(*) filter (where kind = 'click') as clicks,
    count(*) filter (where kind = 'impression') as impressions
  from ${plain}.touchpoints
  where human and ${inRange}
  group by 1, 2, 3`;

/** Clicks, impressions and columns of app events by date, channel and campaign. */
const byCampaign = (plain: string, eventColumns: string): string => `
  select date, channel, campaign, clicks, impressions, clicks::float8 / nullif(impressions, 0) as ctr, event.*
  from (
    select date, coalesce(channel, 'unattributed') as channel, campaign, ${eventColumns}
    from ${plain}.events
    where ${inRange}
    group by 1, 2, 3
  ) as event
  full join (${touches(plain)}) as touched using (date, channel, campaign)
  order by clicks desc`;

/**
 * The SQL that an analyst would write for each report on the plain tables. It ignores log positions, exchange rates and
 * masking, which the reports apply.
 */
export const plainStatements = {
  actuals: (plain) =>
    byCampaign(
      plain,
      `count(*) filter (where category = 'app_install') as installs,
       count(*) filter (where category = 'app_order_complete') as orders, ${revenue} as revenue`,
    ),
  distinctByDate: (plain) =>
    byCampaign(
      plain,
      `count(*) filter (where category = 'app_install') as installs,
       count(*) filter (where category = 'app_order_complete') as orders,
       count(distinct device_id) filter (where category = 'app_open') as users`,
    ),
  distinctOverall: (plain) => `
    select coalesce(channel, 'unattributed') as channel, campaign, count(*) as opens, count(distinct device_id) as users
    from ${plain}.events
    where category = 'app_open' and ${inRange}
    group by 1, 2`,
  retention: (plain) => `
    with start as (
      select device_id, date, max(at) as at from ${plain}.events where category = 'app_install' and ${inRange} group by 1, 2
    ), cohort as (
      select date, count(*) as devices from start group by date
    )
    select start.date, returned.date - start.date as day, count(distinct device_id), min(devices)
    from start
    join cohort on cohort.date = start.date
    join ${plain}.events as returned using (device_id)
    where returned.category = 'app_order_complete' and returned.at >= start.at
    group by 1, 2
    order by 1, 2`,
  revenue: (plain) => `
    with start as (
      select device_id, coalesce(channel, 'unattributed') as channel, date, max(at) as at
      from ${plain}.events
      where category = 'app_install' and ${inRange}
      group by 1, 2, 3
    ), earned as (
      select start.channel, returned.date - start.date as day, sum(returned.value) as revenue
      from start
      join ${plain}.events as returned using (device_id)
      where returned.category in ('app_order_complete', 'app_subscribe') and returned.at >= start.at
      group by 1, 2
    )
    select channel, day, sum(revenue) over (partition by channel order by day)
    from earned
    order by channel, day`,
  activeByDay: (plain) => `
    select date, count(distinct device_id) from ${plain}.events where ${inRange} group by 1 order by 1`,
  activeByMonth: (plain) => `
    select date_trunc('month', date), count(distinct device_id) from ${plain}.events where ${inRange} group by 1 order by 1`,
} satisfies { readonly [name: string]: (plain: string) => string };
