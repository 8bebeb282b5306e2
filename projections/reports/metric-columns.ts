import { assertNever } from "../../domain/decider.ts";
import type { Metric, RatioMetric, SimpleMetric } from "../../domain/reporting/metric.ts";
import { type AmountKind, amountColumns, amountOf } from "./amounts.ts";
import { countingOf } from "./counting.ts";
import type { FactKind, Measures } from "./measures.ts";
import type { Reading } from "./reading.ts";

/** A metric in SQL: expressions over the measures of a cell. */
export interface MetricColumns {
  readonly value: string;
  /** Of the value: whole numbers and amounts are exact. */
  readonly type: "integer" | "amount" | "float8";
  /** Whether the cell has lost something (D12). */
  readonly isMasked: string;
  /** Whether anything counted towards the cell (D7.6). */
  readonly contributes: string;
}

/** A metric's columns; what they measure is added to `measures`. */
export function metricColumns(metric: Metric, measures: Measures, reading: Reading): MetricColumns {
  return metric.kind === "ratio" ? ratio(metric, measures, reading) : simple(metric, measures, reading);
}

function simple(metric: SimpleMetric, measures: Measures, reading: Reading): MetricColumns {
  const counting = countingOf(metric, reading);
  switch (counting.each) {
    case "fact":
      return counted(rowsWhere(counting.over, counting.condition, measures));
    case "device":
      return counted(rowsWhere(counting.over, counting.condition, measures, "devices"));
    case "number": {
      const { over, number } = counting;
      return counted(measures.add({ over, aggregate: `sum(${number})`, type: "numeric", combinedBy: "sum" }));
    }
    case "amount":
      return amounts(counting.over, counting.condition, counting.sign, measures, reading);
    default:
      return assertNever(counting);
  }
}

function rowsWhere(
  over: FactKind,
  condition: string,
  measures: Measures,
  combinedBy: "sum" | "devices" = "sum",
): string {
  return measures.add({ over, aggregate: `count(*) filter (where ${condition})`, type: "bigint", combinedBy });
}

function counted(measure: string): MetricColumns {
  const value = `coalesce(${measure}, 0)`;
  return { value, type: "integer", isMasked: "false", contributes: `${value} > 0` };
}

/** The sum of amounts, those without an exchange rate left out: then null if none is left, else 0 of none (D12). */
function amounts(
  over: AmountKind,
  condition: string,
  sign: string,
  measures: Measures,
  reading: Reading,
): MetricColumns {
  const { converted, isLost } = amountOf(over, reading);
  const sum = measures.add({
    over,
    aggregate: `sum(${sign}${converted}) filter (where ${condition})`,
    type: "numeric",
    combinedBy: "sum",
  });
  const lost = rowsWhere(over, `${condition} and ${isLost}`, measures);
  const all = rowsWhere(over, `${condition} and ${amountColumns[over]} is not null`, measures);
  return {
    value: `case when ${lost} > 0 then ${sum} else coalesce(${sum}, 0) end`,
    type: "amount",
    isMasked: `coalesce(${lost}, 0) > 0`,
    contributes: `coalesce(${all}, 0) > 0`,
  };
}

/** What is left of the one in what is left of the other. */
function ratio({ of, per, times }: RatioMetric, measures: Measures, reading: Reading): MetricColumns {
  const upper = simple(of, measures, reading);
  const lower = simple(per, measures, reading);
  const areCounts = upper.type === "integer" && lower.type === "integer";
  const type = areCounts ? "float8" : "numeric";
  return {
    value: `(${upper.value})::${type} * ${times} / nullif((${lower.value})::${type}, 0)`,
    type: areCounts ? "float8" : "amount",
    isMasked: `${upper.isMasked} or ${lower.isMasked}`,
    contributes: `${upper.contributes} or ${lower.contributes}`,
  };
}
