import type { Knex } from "knex";
import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import type { ChannelMonth } from "../../../domain/reporting/masking.ts";
import { columnsRead, fromClause } from "../facts/from-clause.ts";
import { groupByColumns } from "../facts/group-by-columns.ts";
import { selectAggregatedDays } from "../query/aggregated-days.ts";
import type { UnboundContext } from "../query/query-context.ts";
import { bindings, selectRows } from "../query/statement.ts";
import { aggregateView } from "./aggregate-view.ts";
import { isMaskedFact } from "./fact-view.ts";
import { isOfSmallMonth, maskedTables, reasonsOf } from "./masked-facts.ts";

/**
 * The withheld months of self-attributing channels from which a report would count facts, in order
 * (contract/reports.md#notifications). Reads no facts when none of the report were masked.
 * @param unbound of the dates and filters of the facts that the report reads
 * @param metrics those that it counts
 * @param maskingReasons why facts of its cells are masked, as bits
 */
export async function selectWithheldMonths(
  trx: Knex.Transaction,
  unbound: UnboundContext,
  metrics: readonly SimpleMetric[],
  maskingReasons: number,
): Promise<readonly Pick<ChannelMonth, "channel" | "month">[]> {
  if (!reasonsOf(maskingReasons).includes("small_month")) return [];
  const days = await selectAggregatedDays(trx, unbound.schema, unbound.report);
  const { bind, values } = bindings();
  const context = { ...unbound, bind };
  const { channel } = groupByColumns;
  const maskedFacts = (["touchpoints", "appEvents"] as const).map((kind) => {
    const read = columnsRead(kind, context, [channel], ["local_date"]);
    const view = aggregateView(kind, context, metrics, days, read);
    return `select ${channel[kind].text} as channel, to_char(fact.local_date, 'YYYY-MM') as month
      ${fromClause(kind, context, metrics, [channel], { view, conditions: [isMaskedFact, isOfSmallMonth] })}`;
  });
  const text = `
    with ${maskedTables(context).join(", ")}
    select distinct channel, month
    from (${maskedFacts.join(" union all ")}) as masked_fact
    order by month, channel`;
  return selectRows(trx, { text, values });
}
