import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import {
  calendarValues,
  type FieldValues,
  type ValuesQuery,
  valuesLimits,
} from "../../../domain/reporting/values/query.ts";
import type { ReadModel } from "../../projection.ts";
import { columnsRead, fromClause } from "../facts/from-clause.ts";
import { columnOf } from "../facts/group-by-columns.ts";
import { aggregateView, isAggregated } from "../masking/aggregate-view.ts";
import { hasMaskedFacts, isUnmasked } from "../masking/fact-view.ts";
import { maskedTables, selectMaskedRanges } from "../masking/masked-facts.ts";
import { selectAggregatedDays } from "../query/aggregated-days.ts";
import { bindings, selectRows } from "../query/bindings.ts";
import { decidedPosition } from "../query/decided-position.ts";
import type { ReportScope } from "../query/query-context.ts";
import { type ReportLimits, reportTransaction, wasCancelled } from "../query/report-transaction.ts";

/**
 * The facts whose values are offered: those that reports count, except uploaded metrics, whose new values are not
 * offered (contract/reports.md#values).
 */
const offered = ["touchpoints", "appEvents", "spend"] as const;
const everyFact: readonly SimpleMetric[] = [
  { kind: "touchpoints", of: ["impression", "click"] },
  { kind: "events", of: {} },
  { kind: "cost" },
];

/** The scope of the values: that of a report whose position is the last one at which every target event is decided. */
export type ValuesScope = Omit<ReportScope, "position">;

/** The values of a field (contract/reports.md#values); null when reading them takes too long. */
export async function valuesInTime(
  facts: ReadModel,
  scope: ValuesScope,
  query: ValuesQuery,
  limits: ReportLimits = { timeoutMs: valuesLimits.timeoutMs },
): Promise<FieldValues | null> {
  try {
    return await selectValues(facts, scope, query, limits);
  } catch (failure) {
    if (wasCancelled(failure)) return null;
    throw failure;
  }
}

/**
 * The values of a field with a prefix, in order: those of the rows of a report over the dates that are not fully masked
 * (contract/reports.md#values). They are read like actuals: after masking, and from the daily aggregates if these
 * exist.
 * @param facts the live generation of the facts
 */
async function selectValues(
  facts: ReadModel,
  scope: ValuesScope,
  query: ValuesQuery,
  limits: ReportLimits,
): Promise<FieldValues> {
  const calendar = calendarValues(query);
  if (calendar !== null) return calendar;
  return reportTransaction(facts.db, limits, async (trx) => {
    const { schema } = facts;
    const { field, prefix, from, to } = query;
    const position = await decidedPosition(trx, schema, scope.appId);
    const report = { ...scope, position, query: { from, to, filters: [] } };
    const masked = await selectMaskedRanges(trx, schema, report, query);
    const days = await selectAggregatedDays(trx, schema, report);
    const { bind, values } = bindings();
    const context = { schema, report, rates: new Map(), masked, bind };
    const column = columnOf(field);
    const parts = offered
      .filter((kind) => column[kind].text !== "null")
      .map((kind) => {
        const view = isAggregated(kind)
          ? aggregateView(kind, context, everyFact, days, columnsRead(kind, context, [column], []))
          : null;
        const conditions = hasMaskedFacts(kind, context) ? [isUnmasked] : [];
        return `select distinct (${column[kind].text})::text as value
          ${fromClause(kind, context, everyFact, [column], view === null ? undefined : { view, conditions })}`;
      });
    const tables = maskedTables(context);
    const text = `
      ${tables.length === 0 ? "" : `with ${tables.join(", ")}`}
      select value
      from (${parts.join(" union ")}) as found
      where value <> '' and starts_with(value, ${bind(prefix)})
      order by value collate "C"
      limit ${valuesLimits.values + 1}`;
    const found = (await selectRows<{ readonly value: string }>(trx, { text, values })).map(({ value }) => value);
    return { values: found.slice(0, valuesLimits.values), hasNext: found.length > valuesLimits.values };
  });
}
