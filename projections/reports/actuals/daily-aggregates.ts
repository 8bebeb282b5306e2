import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import type { LocalDate } from "../../../domain/values/local-time.ts";
import { calendarDays } from "../../../domain/values/local-time.ts";
import { conditionsOf, isOfMetrics } from "../query/fact-conditions.ts";
import { type FactKind, factTables } from "../query/measures.ts";
import type { QueryContext } from "../query/query-context.ts";

/** The kinds that statements read counted: rows that are the same in all that is read of them are one. */
export type AggregatedKind = "touchpoints" | "appEvents";

export function isAggregated(kind: FactKind): kind is AggregatedKind {
  return kind === "touchpoints" || kind === "appEvents";
}

/** How a statement counts the facts that a row stands for, in kinds that it reads counted. */
export const factsOfRow = "sum(fact.facts)";
/** What an amount is multiplied with: the amount of a row in the app's currency is that of all its facts already. */
export const timesOfRow = "fact.times";

/** Where facts are counted by day, and by what they are told apart there. */
const daily: { readonly [kind in AggregatedKind]: { readonly table: string; readonly columns: readonly string[] } } = {
  touchpoints: { table: "daily_touchpoints", columns: ["local_date", "kind", "source_key", "client_key"] },
  appEvents: {
    table: "daily_app_events",
    columns: [
      "local_date",
      "source",
      "category",
      "source_key",
      "client_key",
      "touchpoint_kind",
      "is_first_of_device",
      "is_first_of_user",
      "currency",
    ],
  },
};

/** What rows say besides the columns that they are told apart by. */
const measured: ReadonlySet<string> = new Set(["app_id", "facts", "times", "value"]);

/**
 * A subquery: the facts of a kind that metrics count at a report's position, counted by what the statement reads of
 * them. `facts` is how many a row stands for. `value`, when it is read, is in the app's currency their sum, else what each
 * of them has, `times` of them, because each is converted by itself. Days that were counted before are read from there.
 * @param days that were counted (`selectAggregatedDays`)
 * @param read all columns that the statement reads of them
 */
export function aggregatedFacts(
  kind: AggregatedKind,
  context: QueryContext,
  metrics: readonly SimpleMetric[],
  days: readonly LocalDate[],
  read: ReadonlySet<string>,
): string {
  const readsValue = read.has("value");
  const keys = [...read].filter((column) => !measured.has(column));
  const isCountedDaily = keys.every((key) => daily[kind].columns.includes(key));
  const counted = new Set(isCountedDaily ? days : []);
  const { from, to } = context.report.query;
  const others = calendarDays(from, to).flatMap(({ date }) => (counted.has(date) ? [] : [date]));
  const parts = [
    ...(counted.size === 0 ? [] : [storedAggregates(kind, context, metrics, [...counted], keys, readsValue)]),
    ...(others.length === 0
      ? []
      : [computedAggregates(kind, context, metrics, counted.size === 0 ? null : others, keys, readsValue)]),
  ];
  return `(${parts.join(" union all ")})`;
}

function storedAggregates(
  kind: AggregatedKind,
  { schema, report, bind }: QueryContext,
  metrics: readonly SimpleMetric[],
  days: readonly LocalDate[],
  keys: readonly string[],
  readsValue: boolean,
): string {
  return `select ${["app_id", ...keys, "facts", ...(readsValue ? ["times", "value"] : [])].join(", ")}
    from ${schema}.${daily[kind].table} as fact
    where fact.app_id = ${bind(report.appId)}
      and fact.by_client = ${keys.includes("client_key")}
      and fact.local_date = any(${bind(days)}::date[])
      and ${isOfMetrics(kind, metrics, bind)}`;
}

/** @param days null: all of the report */
function computedAggregates(
  kind: AggregatedKind,
  { schema, report, bind }: QueryContext,
  metrics: readonly SimpleMetric[],
  days: readonly LocalDate[] | null,
  keys: readonly string[],
  readsValue: boolean,
): string {
  const { appId, currency, position, query } = report;
  const isOfDays =
    days === null
      ? `fact.local_date between ${bind(query.from)}::date and ${bind(query.to)}::date`
      : `fact.local_date = any(${bind(days)}::date[])`;
  const conditions = [`fact.app_id = ${bind(appId)}`, isOfDays, ...conditionsOf(kind, metrics, bind(position), bind)];
  const columns = ["app_id", ...keys].map((key) => `fact.${key}`);
  const facts = `from ${schema}.${factTables[kind]} as fact`;
  const where = `where ${conditions.join(" and ")}`;
  if (!readsValue) {
    return `select ${[...columns, "count(*)::integer as facts"].join(", ")} ${facts} ${where} group by ${columns.join(", ")}`;
  }
  const foreign = `case when fact.value <> 0 and fact.currency <> ${bind(currency)} then fact.value end`;
  return `select ${columns.join(", ")}, count(*)::integer as facts,
      case when foreign_value is null then 1 else count(*)::integer end as times,
      coalesce(foreign_value, sum(fact.value)) as value
    ${facts}
    cross join lateral (select ${foreign} as foreign_value) as amount
    ${where}
    group by ${columns.join(", ")}, foreign_value`;
}
