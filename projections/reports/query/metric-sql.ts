import { assertNever } from "../../../domain/decider.ts";
import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import type { AmountKind } from "./amounts.ts";
import { isSelected, moneySelection } from "./fact-conditions.ts";
import type { FactKind } from "./measures.ts";
import type { Reading } from "./query-context.ts";

/** Which facts a metric counts, and what each adds to it: reports add it up, and explanations tell it fact by fact. */
export type Counting =
  /** Each fact that meets a condition, or each device with one, adds 1. */
  | { readonly each: "fact" | "device"; readonly over: FactKind; readonly condition: string }
  /** A column's whole number. */
  | { readonly each: "number"; readonly over: "spend"; readonly condition: string; readonly number: string }
  /** The amount of a kind of facts (contract/money.md#conversion), behind a sign that is SQL, or nothing. */
  | { readonly each: "amount"; readonly over: AmountKind; readonly condition: string; readonly sign: string };

export function countingOf(metric: SimpleMetric, { bind }: Reading): Counting {
  switch (metric.kind) {
    case "touchpoints":
      return { each: "fact", over: "touchpoints", condition: `fact.kind = any(${bind(metric.of)}::text[])` };
    case "events":
      return { each: "fact", over: "appEvents", condition: isSelected(metric.of, bind) };
    case "devices":
      return { each: "device", over: "appEvents", condition: isSelected(metric.of, bind) };
    case "spend":
      return { each: "number", over: "spend", condition: "true", number: `fact.${metric.of}` };
    case "money": {
      const sign =
        metric.subtracts.length === 0
          ? ""
          : `case when fact.category = any(${bind(metric.subtracts)}::text[]) then -1 else 1 end * `;
      return { each: "amount", over: "appEvents", condition: isSelected(moneySelection(metric), bind), sign };
    }
    case "cost":
      return { each: "amount", over: "spend", condition: "true", sign: "" };
    case "uploaded": {
      const condition = `fact.event_category = ${bind(metric.category)}`;
      return { each: "amount", over: "uploadedMetrics", condition, sign: "" };
    }
    default:
      return assertNever(metric);
  }
}
