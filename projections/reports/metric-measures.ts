import { assertNever } from "../../domain/decider.ts";
import type { EventSelection, Metric } from "../../domain/reporting/catalogue.ts";
import type { Bind } from "./bindings.ts";

/** One aggregate over one kind of facts. */
export interface Measure {
  readonly name: string;
  readonly over: "touchpoints" | "appEvents";
  /** The aggregate in SQL; of `devices`, how many such facts a single device has. */
  readonly aggregate: string;
  readonly type: "bigint" | "numeric";
  /** Cells add it up, or count the devices where it is above 0. */
  readonly combinedBy: "sum" | "devices";
}

/** A metric in SQL: what is measured, and expressions over the measures of a cell. */
export interface MetricColumns {
  readonly measures: readonly Measure[];
  readonly value: string;
  /** Whether the cell has lost something (D12). */
  readonly isMasked: string;
  /** Whether anything counted towards the cell (D7.6). */
  readonly contributes: string;
}

/**
 * A metric's columns. `prefix` names its measures.
 * @param currency the app's: amounts in any other have no exchange rate yet and are left out of the value
 */
export function metricColumns(metric: Metric, prefix: string, currency: string, bind: Bind): MetricColumns {
  switch (metric.kind) {
    case "touchpoints":
      return counted([countOf(prefix, metric.of, bind)]);
    case "ratio":
      return ratio(countOf(`${prefix}_of`, metric.of, bind), countOf(`${prefix}_per`, metric.per, bind));
    case "events":
    case "devices": {
      const aggregate = `count(*) filter (where ${conditionOf(metric.of, bind)})`;
      const combinedBy = metric.kind === "events" ? "sum" : "devices";
      return counted([{ name: prefix, over: "appEvents", aggregate, type: "bigint", combinedBy }]);
    }
    case "money":
      return money(metric, prefix, currency, bind);
    default:
      return assertNever(metric);
  }
}

function countOf(name: string, kinds: readonly string[], bind: Bind): Measure {
  const aggregate = `count(*) filter (where fact.kind = any(${bind(kinds)}::text[]))`;
  return { name, over: "touchpoints", aggregate, type: "bigint", combinedBy: "sum" };
}

function counted(measures: readonly [Measure]): MetricColumns {
  const count = `coalesce(${measures[0].name}, 0)`;
  return { measures, value: count, isMasked: "false", contributes: `${count} > 0` };
}

function ratio(of: Measure, per: Measure): MetricColumns {
  return {
    measures: [of, per],
    value: `coalesce(${of.name}, 0)::float8 / nullif(${per.name}, 0)::float8`,
    isMasked: "false",
    contributes: `coalesce(${of.name}, 0) + coalesce(${per.name}, 0) > 0`,
  };
}

function money(
  { adds, subtracts }: Extract<Metric, { kind: "money" }>,
  prefix: string,
  currency: string,
  bind: Bind,
): MetricColumns {
  const categories = adds.categories === undefined ? undefined : [...adds.categories, ...subtracts];
  const selected = conditionOf({ ...adds, ...(categories === undefined ? {} : { categories }) }, bind);
  const signed =
    subtracts.length === 0
      ? "fact.value"
      : `case when fact.category = any(${bind(subtracts)}::text[]) then -fact.value else fact.value end`;
  const measure = (suffix: string, aggregate: string, type: Measure["type"]): Measure => {
    return { name: `${prefix}_${suffix}`, over: "appEvents", aggregate, type, combinedBy: "sum" };
  };
  const sum = measure(
    "sum",
    `sum(${signed}) filter (where ${selected} and fact.currency = ${bind(currency)})`,
    "numeric",
  );
  const amounts = measure("amounts", `count(fact.value) filter (where ${selected})`, "bigint");
  const lost = measure("lost", `count(*) filter (where ${selected} and ${hasNoRate(currency, bind)})`, "bigint");
  return {
    measures: [sum, amounts, lost],
    value: `case when ${lost.name} > 0 then ${sum.name} else coalesce(${sum.name}, 0) end`,
    isMasked: `coalesce(${lost.name}, 0) > 0`,
    contributes: `coalesce(${amounts.name}, 0) > 0`,
  };
}

/** Whether an amount cannot be told in the app's currency: none of another can, but nothing is nothing in all. */
export function hasNoRate(currency: string, bind: Bind): string {
  return `fact.value <> 0 and fact.currency <> ${bind(currency)}`;
}

/** Whether an app event belongs to a selection. */
export function conditionOf({ categories, attributed, first }: EventSelection, bind: Bind): string {
  const conditions = [
    categories === undefined ? [] : [`fact.category = any(${bind(categories)}::text[])`],
    attributed === undefined ? [] : [`fact.source_key is ${attributed ? "not null" : "null"}`],
    first === undefined ? [] : [first ? "fact.is_first_of_device" : "not fact.is_first_of_device"],
  ].flat();
  return conditions.length === 0 ? "true" : conditions.join(" and ");
}
