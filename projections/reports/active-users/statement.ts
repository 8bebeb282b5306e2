import type { Knex } from "knex";
import { type ActiveUsersMetric, countedFor } from "../../../domain/reporting/active-users/metrics.ts";
import type { MissingRate } from "../../../domain/reporting/notifications.ts";
import type { LocalDate } from "../../../domain/values/local-time.ts";
import { fromClause } from "../facts/from-clause.ts";
import { amountOf, contextTables } from "../money/amounts.ts";
import { quotient } from "../money/quotient.ts";
import { selectMissingRates } from "../money/select-rates.ts";
import { bindings, type Statement } from "../query/bindings.ts";
import { isOfWholeDays } from "./interval-number.ts";
import { type ActiveUsersContext, userMetricSql } from "./user-counts.ts";
import { activeByDay } from "./users-by-day.ts";
import { usersByInterval } from "./users-by-interval.ts";

/** The common input of the parts of a statement, without its parameters. */
export type UnboundActiveUsers = Omit<ActiveUsersContext, "bind">;

/** A group as the statement returns it. */
export interface FoundGroup {
  readonly groupBys: readonly (string | null)[];
  /**
   * The active users of intervals: numbers of intervals in order, each with its count, `0 2,3 1`; devices as of
   * {@link activeByDay} if the intervals are whole days. Null: there are none, or no metric counts them.
   */
  readonly active: string | Buffer | null;
  /** The paying users and the revenue, `0 2 12.5,3 1 0`. Null: there are none, or no metric counts them. */
  readonly paying: string | null;
  /** Why some of it was masked, as bits. */
  readonly maskingReasons: number;
  /** Whether any unmasked amount has no exchange rate (contract/money.md#conversion). */
  readonly isAnyUnconverted: boolean;
}

/** SQL of the metric of a group that orders the groups: that of the sums over its intervals. */
const ofSums: Readonly<Record<ActiveUsersMetric, string>> = {
  app_au: "coalesce(active, 0)",
  app_pu: "coalesce(paying, 0)",
  app_revenue: "coalesce(revenue, 0)",
  app_arpu: quotient("coalesce(revenue, 0)", "active"),
  app_arppu: quotient("coalesce(revenue, 0)", "paying"),
};

/**
 * The groups of an active users report, {@link FoundGroup}, those with the largest first metric first
 * (contract/reports.md#sorting). A group with payers is one with active users, as purchases are app events.
 * @param aggregatedDays days with aggregated devices
 */
export function activeUsersStatement(
  unbound: UnboundActiveUsers,
  aggregatedDays: readonly LocalDate[],
  maxGroups: number,
): Statement {
  const { bind, values } = bindings();
  const context = { ...unbound, bind };
  const { metrics, groupBys, granularity } = unbound.report.query;
  const counted = new Set(metrics.flatMap((metric) => countedFor[metric]));
  const countsActive = counted.has("active");
  const countsPaying = counted.has("paying") || counted.has("revenue");
  const isByDay = isOfWholeDays(granularity);
  const activeTables = isByDay ? activeByDay(context, aggregatedDays) : usersByInterval("active", context);
  const tables = [...(countsActive ? activeTables : []), ...(countsPaying ? usersByInterval("paying", context) : [])];
  const kinds = [
    ...(countsActive
      ? [
          `select group_bys, true as is_group, masking_reasons, false as is_any_unconverted,
        activity as active_by_interval, active,
        null::text as paying_by_interval, null::numeric as paying, null::numeric as revenue
      from active_group`,
        ]
      : []),
    ...(countsPaying
      ? [
          `select group_bys, ${countsActive ? "false" : "true"} as is_group, masking_reasons, is_any_unconverted,
        null::${isByDay ? "bytea" : "text"} as active_by_interval, null::numeric as active,
        activity as paying_by_interval, paying, revenue
      from paying_group`,
        ]
      : []),
  ];
  const order = [
    ...metrics.slice(0, 1).map((metric) => `${ofSums[metric]} desc nulls last`),
    ...groupBys.map((_, index) => `group_bys[${index + 1}] collate "C" nulls last`),
  ];
  // Both kinds are grouped again instead of joined: without statistics a join would compare each group with each.
  const text = `
    with ${[...contextTables(context), ...tables].join(", ")},
    of_kind as (
      ${kinds.join(`
      union all
      `)}
    ),
    of_group as (
      select group_bys, bit_or(masking_reasons) as masking_reasons, bool_or(is_any_unconverted) as is_any_unconverted,
        string_agg(active_by_interval, '') as active_by_interval, sum(active) as active,
        string_agg(paying_by_interval, '') as paying_by_interval, sum(paying) as paying, sum(revenue) as revenue
      from of_kind
      group by group_bys
      having bool_or(is_group)
    )
    select group_bys as "groupBys",
      active_by_interval as "active",
      paying_by_interval as "paying",
      coalesce(masking_reasons, 0) as "maskingReasons",
      coalesce(is_any_unconverted, false) as "isAnyUnconverted"
    from of_group
    order by ${order.join(", ")}
    limit ${bind(maxGroups)}::integer`;
  return { text, values };
}

/** The amounts of a report that lack an exchange rate. */
export function selectActiveUsersMissingRates(
  trx: Knex.Transaction,
  unbound: UnboundActiveUsers,
): Promise<readonly MissingRate[]> {
  const { bind, values } = bindings();
  const context = { ...unbound, bind };
  const { metrics, condition, unmasked } = userMetricSql("paying", context);
  const unconverted = `
    select fact.currency, fact.local_date
    ${fromClause("appEvents", context, metrics, [])}
      and ${condition}
      and ${amountOf("appEvents", context).isUnconverted}
      and ${unmasked}`;
  return selectMissingRates(trx, contextTables(context), [unconverted], values);
}
