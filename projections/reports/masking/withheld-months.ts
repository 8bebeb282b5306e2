import type { Knex } from "knex";
import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import { type ChannelMonth, clipped, type DateRange, type MaskedRange } from "../../../domain/reporting/masking.ts";
import type { LocalDate } from "../../../domain/values/local-time.ts";
import { columnsRead, fromClause } from "../facts/from-clause.ts";
import { groupByColumns } from "../facts/group-by-columns.ts";
import { metricSql } from "../facts/metric-sql.ts";
import { selectAggregatedDays } from "../query/aggregated-days.ts";
import { bindings, selectRows } from "../query/bindings.ts";
import type { QueryContext, RangeAt, UnboundContext } from "../query/query-context.ts";
import { aggregateView } from "./aggregate-view.ts";
import { isMaskedFact } from "./fact-view.ts";
import { maskedTables, reasonsOf } from "./masked-facts.ts";

/** The facts that a report counts: those of metrics, on its dates and with its filters. */
export interface CountedFacts {
  readonly report: RangeAt;
  readonly metrics: readonly SimpleMetric[];
}

/**
 * The withheld months of self-attributing channels from which a report would count facts, in order
 * (contract/reports.md#notifications). Reads no facts when none of the report were masked.
 * @param maskingReasons why facts of its cells are masked, as bits
 */
export async function selectWithheldMonths(
  trx: Knex.Transaction,
  unbound: Omit<UnboundContext, "report">,
  counted: readonly CountedFacts[],
  maskingReasons: number,
): Promise<readonly Pick<ChannelMonth, "channel" | "month">[]> {
  const [first] = counted;
  if (first === undefined || !reasonsOf(maskingReasons).includes("small_month")) return [];
  const { bind, values } = bindings();
  const masked = unbound.masked.filter(({ reason }) => reason === "small_month");
  const maskedDates = spanOf(masked);
  const maskedFacts: string[] = [];
  for (const { report: whole, metrics } of counted) {
    const dates = clipped(whole.query, maskedDates);
    if (dates.from > dates.to) continue;
    const report = { ...whole, query: { ...whole.query, ...dates } };
    const days = await selectAggregatedDays(trx, unbound.schema, report);
    maskedFacts.push(...channelMonthsOfMasked({ ...unbound, masked, report, bind }, metrics, days));
  }
  if (maskedFacts.length === 0) return [];
  const text = `
    with ${maskedTables({ ...unbound, masked, report: first.report, bind }).join(", ")}
    select distinct channel collate "C" as channel, month
    from (${maskedFacts.join(" union all ")}) as masked_fact
    order by month, channel`;
  return selectRows(trx, { text, values });
}

/** From the first to the last date of ranges; two empty texts without ranges. */
function spanOf(ranges: readonly MaskedRange[]): DateRange {
  const dates = ranges.flatMap(({ from, to }) => [from, to]).sort();
  return { from: dates.at(0) ?? "", to: dates.at(-1) ?? "" };
}

/** Selects of the channel and month of each withheld fact. */
function channelMonthsOfMasked(
  context: QueryContext,
  metrics: readonly SimpleMetric[],
  days: readonly LocalDate[],
): readonly string[] {
  const { channel } = groupByColumns;
  return (["touchpoints", "appEvents"] as const).flatMap((kind) => {
    const counted = metrics.map((metric) => metricSql(metric, context)).filter(({ over }) => over === kind);
    if (counted.length === 0) return [];
    const counts = counted.map(({ each, condition }) =>
      each === "amount" ? `(${condition} and fact.value is not null)` : condition,
    );
    const columns = ["local_date", ...counted.flatMap((sql) => sql.columns)];
    const view = aggregateView(kind, context, metrics, days, columnsRead(kind, context, [channel], columns));
    const conditions = [isMaskedFact, `(${counts.join(" or ")})`];
    return `select ${channel[kind].text} as channel, to_char(fact.local_date, 'YYYY-MM') as month
      ${fromClause(kind, context, metrics, [channel], { view, conditions })}`;
  });
}
