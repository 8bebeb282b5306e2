import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import { calendarDays, type LocalDate } from "../../../domain/values/local-time.ts";
import { conditionsOf, isOfMetrics } from "../facts/fact-conditions.ts";
import type { FactKind } from "../facts/fact-kinds.ts";
import type { QueryContext } from "../query/query-context.ts";
import { factTable, viewOf } from "./fact-view.ts";

/** The kinds of facts that statements read aggregated: facts with equal columns, of those read, are one row. */
type AggregatedKind = "touchpoints" | "appEvents";

export function isAggregated(kind: FactKind): kind is AggregatedKind {
  return kind === "touchpoints" || kind === "appEvents";
}

/** Number of facts that the aggregated rows represent. */
export const factsOfRow = "sum(fact.facts)";
/** The factor of an amount: the amount of a row in the app's currency is the sum of its facts already. */
export const timesOfRow = "fact.times";

/** The tables of daily aggregates, and the columns that distinguish their rows. */
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

/** Columns of rows that do not distinguish them. */
const measured: ReadonlySet<string> = new Set(["app_id", "facts", "times", "value"]);

/**
 * A view (`factView`) of the facts of a kind that metrics count at a report's position, aggregated by the columns that
 * the statement reads. `facts` is the number of facts of a row. `value`, when it is read, is their sum in the app's
 * currency; in another currency it is the value of each of them and counts `times`, as each is converted by itself.
 * @param days with daily aggregates (`selectAggregatedDays`), which are used where their columns suffice
 * @param read all columns that the statement reads
 */
export function aggregateView(
  kind: AggregatedKind,
  context: QueryContext,
  metrics: readonly SimpleMetric[],
  days: readonly LocalDate[],
  read: ReadonlySet<string>,
): string {
  const readsValue = read.has("value");
  const keys = [...read].filter((column) => !measured.has(column));
  const hasDailyColumns = keys.every((key) => daily[kind].columns.includes(key));
  const aggregatedDays = new Set(hasDailyColumns ? days : []);
  const { from, to } = context.report.query;
  const otherDays = calendarDays(from, to).flatMap(({ date }) => (aggregatedDays.has(date) ? [] : [date]));
  const parts = [
    ...(aggregatedDays.size === 0
      ? []
      : [storedAggregates(kind, context, metrics, [...aggregatedDays], keys, readsValue)]),
    ...(otherDays.length === 0
      ? []
      : [computedAggregates(kind, context, metrics, aggregatedDays.size === 0 ? null : otherDays, keys, readsValue)]),
  ];
  return viewOf(kind, `(${parts.join(" union all ")})`, context);
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
  context: QueryContext,
  metrics: readonly SimpleMetric[],
  days: readonly LocalDate[] | null,
  keys: readonly string[],
  readsValue: boolean,
): string {
  const { report, bind } = context;
  const { appId, currency, position, query } = report;
  const isOfDays =
    days === null
      ? `fact.local_date between ${bind(query.from)}::date and ${bind(query.to)}::date`
      : `fact.local_date = any(${bind(days)}::date[])`;
  const conditions = [`fact.app_id = ${bind(appId)}`, isOfDays, ...conditionsOf(kind, metrics, bind(position), bind)];
  const columns = ["app_id", ...keys].map((key) => `fact.${key}`);
  const facts = `from ${factTable(kind, context)} as fact`;
  const where = `where ${conditions.join(" and ")}`;
  if (!readsValue) {
    return `select ${columns.join(", ")}, count(*)::integer as facts
    ${facts}
    ${where}
    group by ${columns.join(", ")}`;
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

/**
 * The columns that distinguish rows of aggregated devices (`projections/facts/daily-aggregates/tables.ts`), of any
 * category and of each.
 */
const ofAnyCategory = ["app_id", "local_date", "source", "source_key", "client_key", "touchpoint_kind"];
const ofEachCategory = [...ofAnyCategory, "category", "is_first_of_device", "is_first_of_user"];

/** The devices that a statement reads. */
interface DeviceRowsInput {
  readonly context: QueryContext;
  readonly metrics: readonly SimpleMetric[];
  /** All columns that the statement reads of app events. */
  readonly read: ReadonlySet<string>;
  /** Dates with aggregated devices. */
  readonly aggregatedDays: readonly LocalDate[];
  /** Whether one app event of a device and date is enough, of any category. */
  readonly isOfAny: boolean;
  /** Whether a cell is of one date and category: then devices that are in only one row of these are added up. */
  readonly areAddedUp: boolean;
}

/** Views (`factView`) with the columns read. */
interface DeviceViews {
  /** Devices to be added up: `device_keys uuid[]`, each in no other row, nor in `others`. Null: none. */
  readonly alone: string | null;
  /** Devices to be counted as distinct: one `device_key` a row. */
  readonly others: string;
}

/** Views of the devices with app events: of aggregated days from the aggregates, of others from the facts. */
export function deviceViews(input: DeviceRowsInput): DeviceViews {
  const { context, read, areAddedUp, isOfAny } = input;
  const columns = [...new Set(["app_id", ...read])].filter((column) => column !== "device_key");
  const isAny = isOfAny && columns.every((column) => ofAnyCategory.includes(column));
  const isAggregated = isAny || columns.every((column) => ofEachCategory.includes(column));
  const aggregatedDays = isAggregated ? input.aggregatedDays : [];
  const { from, to } = context.report.query;
  const otherDays = calendarDays(from, to).flatMap(({ date }) => (aggregatedDays.includes(date) ? [] : [date]));
  const addsUp = areAddedUp && (isAny || !isOfAny) && aggregatedDays.length > 0;
  const parts = [
    ...(aggregatedDays.length === 0
      ? []
      : [
          `select ${columns.join(", ")}, unnest(device_keys) as device_key
           from ${aggregatedRows(input, aggregatedDays, isAny)}${addsUp ? " and not are_alone" : ""}`,
        ]),
    ...(otherDays.length === 0
      ? []
      : [`select ${[...columns, "device_key"].join(", ")} from ${facts(input, otherDays)}`]),
  ];
  return {
    alone: addsUp
      ? viewOf(
          "appEvents",
          `(select ${[...columns, "device_keys"].join(", ")} from ${aggregatedRows(input, aggregatedDays, isAny)} and are_alone)`,
          context,
        )
      : null,
    others: viewOf("appEvents", `(${parts.join(" union all ")})`, context),
  };
}

/** A clause from `from` on, to which more conditions can be added. */
function aggregatedRows(
  { context: { schema, report, bind }, metrics, read }: DeviceRowsInput,
  days: readonly LocalDate[],
  isAny: boolean,
): string {
  const isOfCategories = isAny
    ? "fact.category is null"
    : `fact.category is not null and ${isOfMetrics("appEvents", metrics, bind)}`;
  return `${schema}.daily_devices as fact
    where fact.app_id = ${bind(report.appId)}
      and fact.by_client = ${read.has("client_key")}
      and fact.local_date = any(${bind(days)}::date[])
      and ${isOfCategories}`;
}

function facts({ context, metrics }: DeviceRowsInput, days: readonly LocalDate[]): string {
  const { report, bind } = context;
  const { appId, position } = report;
  return `${factTable("appEvents", context)} as fact
    where fact.app_id = ${bind(appId)}
      and fact.local_date = any(${bind(days)}::date[])
      and ${conditionsOf("appEvents", metrics, bind(position), bind).join(" and ")}`;
}
