import { assertNever } from "../../../domain/decider.ts";
import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import { type AmountKind, amountOf } from "../money/amounts.ts";
import type { QueryContext } from "../query/query-context.ts";
import { isSelected, moneySelection, selectionColumns } from "./fact-conditions.ts";
import type { FactKind } from "./fact-kinds.ts";

interface Counted {
  readonly condition: string;
  /** The columns of the fact that the metric reads. */
  readonly columns: readonly string[];
}

/** The facts that a metric counts, and what each adds: reports sum it, explanations list it by fact. */
export type MetricSql = Counted &
  // Each fact that meets the condition, or each device with one, adds 1.
  (
    | { readonly each: "fact" | "device"; readonly over: FactKind }
    // A column's whole number.
    | { readonly each: "number"; readonly over: "spend"; readonly number: string }
    // The amount of a kind of facts (contract/money.md#conversion), after a sign in SQL, which may be empty.
    | { readonly each: "amount"; readonly over: AmountKind; readonly sign: string }
  );

export function metricSql(metric: SimpleMetric, context: QueryContext): MetricSql {
  const { bind } = context;
  switch (metric.kind) {
    case "touchpoints":
      return {
        each: "fact",
        over: "touchpoints",
        condition: `fact.kind = any(${bind(metric.of)}::text[])`,
        columns: ["kind"],
      };
    case "events":
    case "devices":
      return {
        each: metric.kind === "events" ? "fact" : "device",
        over: "appEvents",
        condition: isSelected(metric.of, bind),
        columns: selectionColumns(metric.of),
      };
    case "spend":
      return { each: "number", over: "spend", condition: "true", number: `fact.${metric.of}`, columns: [metric.of] };
    case "money": {
      const selection = moneySelection(metric);
      const subtracts = metric.subtracts.length > 0;
      return {
        each: "amount",
        over: "appEvents",
        condition: isSelected(selection, bind),
        sign: subtracts ? `case when fact.category = any(${bind(metric.subtracts)}::text[]) then -1 else 1 end * ` : "",
        columns: [
          ...selectionColumns(selection),
          ...(subtracts ? ["category"] : []),
          ...amountOf("appEvents", context).columns,
        ],
      };
    }
    case "cost":
      return {
        each: "amount",
        over: "spend",
        condition: "true",
        sign: "",
        columns: amountOf("spend", context).columns,
      };
    case "uploaded":
      return {
        each: "amount",
        over: "uploadedMetrics",
        condition: `fact.event_category = ${bind(metric.category)}`,
        sign: "",
        columns: ["event_category", ...amountOf("uploadedMetrics", context).columns],
      };
    default:
      return assertNever(metric);
  }
}
