import { reportLimits } from "../../../domain/reporting/limits.ts";
import type { Statement } from "../actuals/statement.ts";
import { amountOf, rateTable } from "../query/amounts.ts";
import { bindings } from "../query/bindings.ts";
import { factsOf } from "../query/from-clause.ts";
import { withheldTable } from "../query/masking-sql.ts";
import { blockOf } from "./block.ts";
import { type ActiveUsersReading, type CountedUsers, userCounting } from "./counting.ts";
import { groupedBy, groupingBy } from "./grouping.ts";

/** What the parts of a statement share, but for its parameters. */
export type Unbound = Omit<ActiveUsersReading, "bind">;

/**
 * What happened in the intervals of each group of an active users report, the first groups in their order and one more
 * than a result holds: `groupBys text[]`; `happened text`, the number of each interval in which something did and what
 * is counted of it, null from the group on with which there are too many; `loss integer`, why something was withheld of
 * the group, as bits; `lost boolean`, whether amounts were left out for want of a rate.
 */
export function activeUsersStatement(unbound: Unbound, counted: CountedUsers): Statement {
  const { bind, values } = bindings();
  const reading = { ...unbound, bind };
  const { query } = unbound.report;
  const { metrics, condition, ofDevice, ofInterval, told, happened } = userCounting(counted, reading);
  const { columns, names, texts, order } = groupingBy(query.groupBys);
  const block = blockOf(unbound.report, bind);
  const interval = `concat_ws(' ', ${[block.number, ...told].join(", ")})`;
  const text = `
    with ${tablesOf(reading)}, device as (
      select ${[...texts, `${block.ofFact} as block`, ...ofDevice].join(", ")}
      ${factsOf("appEvents", reading, metrics, columns)} and ${condition}
      ${groupedBy([...names, "block", "fact.device_key"])}
    ), happening as (
      select ${[...names, "block", ...ofInterval].join(", ")}
      from device
      ${groupedBy([...names, "block"])}
    ), of_group as (
      select ${[...names, `string_agg(${interval}, ',' order by block) filter (where ${happened}) as happened`].join(", ")},
        sum(count(*)) over (${order}) as intervals, bit_or(loss) as loss, bool_or(lost) as lost
      from happening
      ${groupedBy(names)}
    )
    select array[${names.join(", ")}]::text[] as "groupBys", coalesce(loss, 0) as "loss", coalesce(lost, false) as "lost",
      case when coalesce(intervals, 0) <= ${bind(reportLimits.activeIntervals)}::bigint then coalesce(happened, '') end
        as "happened"
    from of_group
    ${order}
    limit ${bind(reportLimits.activeGroups + 1)}::integer`;
  return { text, values };
}

/**
 * The amounts that are left out for want of an exchange rate alone (contract/money.md#conversion): `currency`, and
 * `dates text[]` in order.
 */
export function activeUsersMissingRates(unbound: Unbound): Statement {
  const { bind, values } = bindings();
  const reading = { ...unbound, bind };
  const { metrics, condition, left } = userCounting("paying", reading);
  const text = `
    with ${tablesOf(reading)}
    select fact.currency, array_agg(distinct to_char(fact.local_date, 'YYYY-MM-DD')) as dates
    ${factsOf("appEvents", reading, metrics, [])} and ${condition} and ${amountOf("appEvents", reading).isLost} and ${left}
    group by fact.currency
    order by fact.currency collate "C"`;
  return { text, values };
}

/** What the statements read beside the facts. */
export function tablesOf({ rates, withheld, schema, report, bind }: ActiveUsersReading): string {
  const tables = withheld.length === 0 ? [] : [withheldTable(withheld, schema, report.appId, bind)];
  return [rateTable(rates, bind), ...tables].join(", ");
}
