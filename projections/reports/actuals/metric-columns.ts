import { assertNever } from "../../../domain/decider.ts";
import type { Metric, RatioMetric, SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import type { FactKind } from "../facts/fact-kinds.ts";
import { metricSql } from "../facts/metric-sql.ts";
import { factsOfRow, isAggregated, timesOfRow } from "../masking/aggregate-view.ts";
import { hasMaskedFacts, isUnmasked, maskingReasonsWhere } from "../masking/fact-view.ts";
import { type AmountKind, amountColumns, amountOf } from "../money/amounts.ts";
import type { QueryContext } from "../query/query-context.ts";

/** One aggregate over one kind of facts. */
interface Measure {
  readonly over: FactKind;
  /** The aggregate in SQL; of `devices`, the condition that one of a device's facts must meet. */
  readonly aggregate: string;
  readonly type: "bigint" | "numeric" | "integer";
  /** How cells combine it: as a sum, as the number of devices that meet it, or as the union of all bits. */
  readonly combinedBy: "sum" | "devices" | "bits";
}

export type NamedMeasure = Measure & { readonly name: string };

/** Combines the measures of the parts of a cell. */
export function combined({ name, combinedBy }: NamedMeasure): string {
  return combinedBy === "bits" ? `bit_or(${name})` : `sum(${name})`;
}

/** Collects the measures of a statement. Metrics that need the same measure share it. */
interface Measures {
  /** The name of a measure's column. */
  add(measure: Measure): string;
  all(): readonly NamedMeasure[];
}

export function measures(): Measures {
  const named = new Map<string, NamedMeasure>();
  return {
    add: (measure) => {
      const key = JSON.stringify([measure.over, measure.aggregate, measure.combinedBy]);
      const name = named.get(key)?.name ?? `a${named.size}`;
      named.set(key, { ...measure, name });
      return name;
    },
    all: () => [...named.values()],
  };
}

/** A metric in SQL: expressions over the measures of a cell. */
export interface MetricColumns {
  readonly value: string;
  /** SQL of the value: whole numbers and amounts are exact. */
  readonly type: "integer" | "amount" | "float8";
  /** Whether the cell has lost something (contract/reports.md#masking, contract/money.md#conversion). */
  readonly isMasked: string;
  /** Measures of why some of the cell was masked (contract/reports.md#masking), as bits. */
  readonly losses: readonly string[];
  /** Whether any unmasked fact counted towards the cell (contract/reports.md#rows). */
  readonly isLeft: string;
}

/** A metric's columns; adds the measures that they need to `measures`. */
export function metricColumns(metric: Metric, measures: Measures, context: QueryContext): MetricColumns {
  return metric.kind === "ratio" ? ratio(metric, measures, context) : simple(metric, measures, context);
}

function simple(metric: SimpleMetric, measures: Measures, context: QueryContext): MetricColumns {
  const counting = metricSql(metric, context);
  switch (counting.each) {
    case "fact":
    case "device": {
      const { over, condition, each } = counting;
      const { left, loss } = leftOf(over, condition, condition, measures, context);
      const measure = each === "device" ? devicesWhere(over, left, measures) : rowsWhere(over, left, measures);
      return counted(measure, loss);
    }
    case "number": {
      const { over, number } = counting;
      return counted(measures.add({ over, aggregate: `sum(${number})`, type: "numeric", combinedBy: "sum" }), null);
    }
    case "amount":
      return amounts(counting.over, counting.condition, counting.sign, measures, context);
    default:
      return assertNever(counting);
  }
}

function rowsWhere(over: FactKind, condition: string, measures: Measures): string {
  const rows = isAggregated(over) ? factsOfRow : "count(*)";
  return measures.add({ over, aggregate: `${rows} filter (where ${condition})`, type: "bigint", combinedBy: "sum" });
}

function devicesWhere(over: FactKind, condition: string, measures: Measures): string {
  return measures.add({ over, aggregate: condition, type: "bigint", combinedBy: "devices" });
}

/**
 * The facts that meet a condition and are not masked (contract/reports.md#masking), and the measure of why
 * others are.
 * @param loses which facts, when they are masked, the metric has lost
 */
function leftOf(over: FactKind, condition: string, loses: string, measures: Measures, context: QueryContext) {
  if (!hasMaskedFacts(over, context)) return { left: condition, loss: null };
  const loss = measures.add({ over, aggregate: maskingReasonsWhere(loses), type: "integer", combinedBy: "bits" });
  return { left: `${condition} and ${isUnmasked}`, loss };
}

/** The unmasked value: null if all facts are masked, and 0 if there are none. */
function counted(measure: string, loss: string | null): MetricColumns {
  const value = `coalesce(${measure}, 0)`;
  const isLeft = `${value} > 0`;
  if (loss === null) return { value, type: "integer", isMasked: "false", losses: [], isLeft };
  const isMasked = `${loss} is not null`;
  return {
    value: `case when ${isMasked} then nullif(${measure}, 0) else ${value} end`,
    type: "integer",
    isMasked,
    losses: [loss],
    isLeft,
  };
}

/**
 * The sum of amounts, without masked ones and those without an exchange rate: null if all are left out, and 0 if there
 * are none.
 */
function amounts(
  over: AmountKind,
  condition: string,
  sign: string,
  measures: Measures,
  context: QueryContext,
): MetricColumns {
  const { converted, isLost } = amountOf(over, context);
  const isThere = `${condition} and ${amountColumns[over]} is not null`;
  const { left, loss } = leftOf(over, condition, isThere, measures, context);
  const sum = measures.add({
    over,
    aggregate: `sum(${sign}${converted}${isAggregated(over) ? ` * ${timesOfRow}` : ""}) filter (where ${left})`,
    type: "numeric",
    combinedBy: "sum",
  });
  const lost = rowsWhere(over, `${left} and ${isLost}`, measures);
  const there = rowsWhere(over, `${left} and ${amountColumns[over]} is not null`, measures);
  const isMasked = `coalesce(${lost}, 0) > 0${loss === null ? "" : ` or ${loss} is not null`}`;
  return {
    value: `case when ${isMasked} then ${sum} else coalesce(${sum}, 0) end`,
    type: "amount",
    isMasked,
    losses: loss === null ? [] : [loss],
    isLeft: `coalesce(${there}, 0) > 0`,
  };
}

/** The ratio of the unmasked values of two metrics. */
function ratio({ of, per, times }: RatioMetric, measures: Measures, context: QueryContext): MetricColumns {
  const upper = simple(of, measures, context);
  const lower = simple(per, measures, context);
  const areCounts = upper.type === "integer" && lower.type === "integer";
  const type = areCounts ? "float8" : "numeric";
  // Without spend there is no cost, which is not a cost of 0.
  const divided = of.kind === "cost" ? `case when ${upper.isLeft} then ${upper.value} end` : upper.value;
  return {
    value: `(${divided})::${type} * ${times} / nullif((${lower.value})::${type}, 0)`,
    type: areCounts ? "float8" : "amount",
    isMasked: `${upper.isMasked} or ${lower.isMasked}`,
    losses: [...upper.losses, ...lower.losses],
    isLeft: `${upper.isLeft} or ${lower.isLeft}`,
  };
}
