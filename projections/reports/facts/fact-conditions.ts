import type { ReportFilter } from "../../../domain/report-tasks/events.ts";
import type { EventSelection, SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import type { Bind } from "../query/bindings.ts";
import type { FactKind } from "./fact-kinds.ts";

/**
 * SQL of the facts of a kind that the metrics read, among those in force at a position.
 * @param position its parameter in the statement
 */
export function conditionsOf(
  kind: FactKind,
  metrics: readonly SimpleMetric[],
  position: string,
  bind: Bind,
): readonly string[] {
  const inForce = [`fact.from_position <= ${position}`, `fact.to_position > ${position}`];
  // Rows of zeros delete by replacing, and do not count (contract/uploads.md#replacement).
  switch (kind) {
    case "touchpoints":
      return [`fact.position <= ${position}`, "fact.human", isOfMetrics(kind, metrics, bind)];
    case "appEvents":
      return [...inForce, isOfMetrics(kind, metrics, bind)];
    case "spend":
      return [...inForce, "(fact.impressions <> 0 or fact.clicks <> 0 or fact.cost <> 0)"];
    case "uploadedMetrics": {
      const uploaded = metrics.flatMap((metric) => (metric.kind === "uploaded" ? [metric.category] : []));
      return [...inForce, "fact.event_value <> 0", `fact.event_category = any(${bind(uploaded)}::text[])`];
    }
  }
}

/** SQL of whether a caller who sees some channels alone may see a fact (contract/tokens.md#permissions). */
export function isVisibleChannel(channel: string, onlyChannels: readonly string[], bind: Bind): string {
  return `${channel} = any(${bind(onlyChannels)}::text[])`;
}

/** SQL of whether the metrics read a touchpoint or an app event. */
export function isOfMetrics(kind: "touchpoints" | "appEvents", metrics: readonly SimpleMetric[], bind: Bind): string {
  if (kind === "touchpoints") return `fact.kind = any(${bind(kindsOf(metrics))}::text[])`;
  const categories = categoriesOf(metrics);
  return categories === null ? "true" : `fact.category = any(${bind(categories)}::text[])`;
}

function kindsOf(metrics: readonly SimpleMetric[]): readonly string[] {
  return [...new Set(metrics.flatMap((metric) => (metric.kind === "touchpoints" ? metric.of : [])))];
}

/** Categories of app events; null: all. */
function categoriesOf(metrics: readonly SimpleMetric[]): readonly string[] | null {
  const categories = new Set<string>();
  for (const metric of metrics) {
    if (metric.kind !== "events" && metric.kind !== "devices" && metric.kind !== "money") continue;
    const selection = metric.kind === "money" ? moneySelection(metric) : metric.of;
    if (selection.categories === undefined) return null;
    for (const category of selection.categories) categories.add(category);
  }
  return [...categories];
}

/** The app events whose values a metric adds or subtracts. */
export function moneySelection({ adds, subtracts }: Extract<SimpleMetric, { kind: "money" }>): EventSelection {
  return adds.categories === undefined ? adds : { ...adds, categories: [...adds.categories, ...subtracts] };
}

/** Whether an app event belongs to a selection. */
export function isSelected({ categories, attributed, first }: EventSelection, bind: Bind): string {
  const conditions = [
    categories === undefined ? [] : [`fact.category = any(${bind(categories)}::text[])`],
    attributed === undefined ? [] : [`fact.source_key is ${attributed ? "not null" : "null"}`],
    first === undefined ? [] : [first ? "fact.is_first_of_device" : "not fact.is_first_of_device"],
  ].flat();
  return conditions.length === 0 ? "true" : conditions.join(" and ");
}

/** The columns of an app event that its selection reads. */
export function selectionColumns({ categories, attributed, first }: EventSelection): readonly string[] {
  return [
    ...(categories === undefined ? [] : ["category"]),
    ...(attributed === undefined ? [] : ["source_key"]),
    ...(first === undefined ? [] : ["is_first_of_device"]),
  ];
}

/** A collation with Unicode's case rules, whatever the default of the database is. */
const everyCase = 'collate "und-x-icu"';

/**
 * Whether a fact passes a filter (contract/reports.md#filters). Missing values are empty texts, as in responses
 * (contract/reports.md#group-bys).
 * @param text SQL of the value of the fact, null when it is missing
 */
export function filterCondition(text: string, { filterType, values }: ReportFilter, bind: Bind): string {
  const value = `coalesce(${text}, '')`;
  switch (filterType) {
    case "IN":
      return `${value} = any (${bind(values)}::text[])`;
    case "NOT IN":
      return `${value} <> all (${bind(values)}::text[])`;
    case "LIKE":
      return `upper(${value} ${everyCase}) like any (${patternsOf(values, bind)})`;
    case "NOT LIKE":
      return `upper(${value} ${everyCase}) not like all (${patternsOf(values, bind)})`;
    case "EXIST":
      return `${value} <> ''`;
    case "NOT EXIST":
      return `${value} = ''`;
  }
}

/** The database converts both sides to upper case, as its Unicode tables may differ from those of this process. */
function patternsOf(values: readonly string[], bind: Bind): string {
  const patterns = `unnest(${bind(values.map(containing))}::text[]) as of_value (pattern)`;
  return `array(select upper(pattern ${everyCase}) from ${patterns})`;
}

/** The pattern of texts that contain a value: `*` matches anything, every other character itself. */
function containing(value: string): string {
  return `%${value.replace(/[\\%_]/g, "\\$&").replace(/\*+/g, "%")}%`;
}
