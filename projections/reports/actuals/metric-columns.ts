import { assertNever } from "../../../domain/decider.ts";
import type { Metric, RatioMetric, SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import type { FactKind } from "../facts/fact-kinds.ts";
import { metricSql } from "../facts/metric-sql.ts";
import { factsOfRow, isAggregated, timesOfRow } from "../masking/aggregate-view.ts";
import { hasMaskedFacts, isUnmasked, maskingReasonsWhere } from "../masking/fact-view.ts";
import { type AmountKind, amountColumns, amountOf } from "../money/amounts.ts";
import { quotient } from "../money/quotient.ts";
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
  /**
   * Whether facts are excluded from the cell: masked ones (contract/reports.md#masking), or amounts without an exchange
   * rate (contract/money.md#conversion).
   */
  readonly isMasked: string;
  /** Measures of why some of the cell was masked (contract/reports.md#masking), as bits. */
  readonly maskingReasons: readonly string[];
  /** Whether any unmasked fact counted towards the cell (contract/reports.md#rows). */
  readonly isAnyUnmasked: string;
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
      const { unmasked, maskingReasons } = maskingSql(over, condition, condition, measures, context);
      const measure = each === "device" ? devicesWhere(over, unmasked, measures) : rowsWhere(over, unmasked, measures);
      return counted(measure, maskingReasons);
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
 * SQL of the facts that meet a condition and are unmasked (contract/reports.md#masking), and the measure of why others
 * are masked.
 * @param counts which facts the metric counts unless they are masked
 */
function maskingSql(over: FactKind, condition: string, counts: string, measures: Measures, context: QueryContext) {
  if (!hasMaskedFacts(over, context)) return { unmasked: condition, maskingReasons: null };
  const maskingReasons = measures.add({
    over,
    aggregate: maskingReasonsWhere(counts),
    type: "integer",
    combinedBy: "bits",
  });
  return { unmasked: `${condition} and ${isUnmasked}`, maskingReasons };
}

/** The unmasked value: null if all facts are masked, and 0 if there are none. */
function counted(measure: string, maskingReasons: string | null): MetricColumns {
  const value = `coalesce(${measure}, 0)`;
  const isAnyUnmasked = `${value} > 0`;
  if (maskingReasons === null) return { value, type: "integer", isMasked: "false", maskingReasons: [], isAnyUnmasked };
  const isMasked = `${maskingReasons} is not null`;
  return {
    value: `case when ${isMasked} then nullif(${measure}, 0) else ${value} end`,
    type: "integer",
    isMasked,
    maskingReasons: [maskingReasons],
    isAnyUnmasked,
  };
}

/** The sum of amounts, without masked and unconverted ones: null if all are excluded, and 0 if there are none. */
function amounts(
  over: AmountKind,
  condition: string,
  sign: string,
  measures: Measures,
  context: QueryContext,
): MetricColumns {
  const { converted, isUnconverted } = amountOf(over, context);
  const isThere = `${condition} and ${amountColumns[over]} is not null`;
  const { unmasked, maskingReasons } = maskingSql(over, condition, isThere, measures, context);
  const sum = measures.add({
    over,
    aggregate: `sum(${sign}${converted}${isAggregated(over) ? ` * ${timesOfRow}` : ""}) filter (where ${unmasked})`,
    type: "numeric",
    combinedBy: "sum",
  });
  const unconverted = rowsWhere(over, `${unmasked} and ${isUnconverted}`, measures);
  const there = rowsWhere(over, `${unmasked} and ${amountColumns[over]} is not null`, measures);
  const isAnyUnconverted = `coalesce(${unconverted}, 0) > 0`;
  const isMasked = maskingReasons === null ? isAnyUnconverted : `${isAnyUnconverted} or ${maskingReasons} is not null`;
  return {
    value: `case when ${isMasked} then ${sum} else coalesce(${sum}, 0) end`,
    type: "amount",
    isMasked,
    maskingReasons: maskingReasons === null ? [] : [maskingReasons],
    isAnyUnmasked: `coalesce(${there}, 0) > 0`,
  };
}

/** The ratio of the unmasked values of two metrics. */
function ratio({ of, per, times }: RatioMetric, measures: Measures, context: QueryContext): MetricColumns {
  const upper = simple(of, measures, context);
  const lower = simple(per, measures, context);
  const areCounts = upper.type === "integer" && lower.type === "integer";
  // Without spend there is no cost, which is not a cost of 0.
  const divided = of.kind === "cost" ? `case when ${upper.isAnyUnmasked} then ${upper.value} end` : upper.value;
  return {
    value: areCounts
      ? `(${divided})::float8 * ${times} / nullif((${lower.value})::float8, 0)`
      : quotient(`(${divided})::numeric * ${times}`, `(${lower.value})::numeric`),
    type: areCounts ? "float8" : "amount",
    isMasked: `${upper.isMasked} or ${lower.isMasked}`,
    maskingReasons: [...upper.maskingReasons, ...lower.maskingReasons],
    isAnyUnmasked: `${upper.isAnyUnmasked} or ${lower.isAnyUnmasked}`,
  };
}
