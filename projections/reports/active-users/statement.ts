import type { Knex } from "knex";
import type { MissingRate } from "../../../domain/reporting/notifications.ts";
import { fromClause } from "../facts/from-clause.ts";
import { columnOf, groupedBy, groupNames, groupTexts } from "../facts/group-by-columns.ts";
import { hasMaskedFacts } from "../masking/fact-view.ts";
import { mergeWithheldGroups } from "../masking/masked-facts.ts";
import { amountOf, contextTables } from "../money/amounts.ts";
import { selectMissingRates } from "../money/select-rates.ts";
import { bindings, groupOrder, type Statement } from "../query/statement.ts";
import { intervalOfFact } from "./interval-number.ts";
import { type ActiveUsersContext, type UserKind, userMetricSql } from "./user-metrics.ts";

/** The common input of the parts of a statement, without its parameters. */
export type UnboundActiveUsers = Omit<ActiveUsersContext, "bind"> & {
  /** Groups that the result holds. */
  readonly maxGroups: number;
};

/**
 * The counts of each group of an active users report, the first groups in their order, one more than a result holds:
 * `groupBys text[]`; `activityByInterval text`, the number of each interval with any value, and its counts; `maskingReasons
 * integer`, why some of the group was masked, as bits; `isAnyUnconverted boolean`, whether any amount is unconverted.
 */
export function activeUsersStatement(unbound: UnboundActiveUsers, counted: UserKind): Statement {
  const { bind, values } = bindings();
  const context = { ...unbound, bind };
  const { query } = unbound.report;
  const { metrics, condition, ofDevice, ofInterval, counts, shown, hasActivity } = userMetricSql(counted, context);
  const columns = query.groupBys.map(columnOf);
  const names = groupNames(columns);
  const texts = groupTexts(columns, "appEvents");
  const order = groupOrder(names);
  const interval = intervalOfFact(unbound.report, bind);
  const activity = `concat_ws(' ', ${[interval.number, ...shown].join(", ")})`;
  const activityColumns = ["interval_key", ...counts, "masking_reasons", "is_any_unconverted"];
  const merged = mergeWithheldGroups("interval_activity", query.groupBys, names, "is_any_unmasked", activityColumns);
  const text = `
    with ${contextTables(context).join(", ")},
    device as (
      select ${[...texts, `${interval.key} as interval_key`, ...ofDevice].join(", ")}
      ${fromClause("appEvents", context, metrics, columns)}
        and ${condition}
      ${groupedBy([...names, "interval_key", "fact.device_key"])}
    ),
    interval_activity as (
      select ${[...names, "interval_key", ...ofInterval].join(", ")}
      from device
      ${groupedBy([...names, "interval_key"])}
    ),
    interval_of_group as (
      ${hasMaskedFacts("appEvents", context) ? merged : "select * from interval_activity"}
    ),
    of_group as (
      select ${[...names, `string_agg(${activity}, ',' order by interval_key) filter (where ${hasActivity}) as activity_by_interval`].join(", ")},
        bit_or(masking_reasons) as masking_reasons,
        bool_or(is_any_unconverted) as is_any_unconverted
      from interval_of_group
      ${groupedBy(names)}
    )
    select array[${names.join(", ")}]::text[] as "groupBys",
      coalesce(masking_reasons, 0) as "maskingReasons",
      coalesce(is_any_unconverted, false) as "isAnyUnconverted",
      coalesce(activity_by_interval, '') as "activityByInterval"
    from of_group
    ${order}
    limit ${bind(unbound.maxGroups + 1)}::integer`;
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
