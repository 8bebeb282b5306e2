import { notOneOf } from "../../domain/did-you-mean.ts";
import { type Fault, fault } from "../../domain/fault.ts";

/** The cell that a request names. */
export interface CellAddress {
  readonly row: readonly string[];
  readonly metric: string;
  /** For active users the interval as the report shows it, or its beginning; for cohorts the date of a sub-row. */
  readonly date?: string;
  /** For cohorts, the number of an interval. */
  readonly interval?: number;
}

/** A cell of a stored result. */
export interface FoundCell<Cell = unknown> {
  readonly outcome: "found";
  /** The cell as the computation of its report identifies it. */
  readonly cell: Cell;
  /** Exact decimal text; null: no value. */
  readonly value: string | null;
  /** Whether parts of its value are missing; null: the report does not mark masked cells. */
  readonly isMasked: boolean | null;
  /** The factor of a ratio; null: the metric is no ratio. */
  readonly times: number | null;
}

export type CellResolution<Cell = unknown> = FoundCell<Cell> | { readonly outcome: "unknown"; readonly fault: Fault };

/** The report has no such metric: the fault lists those that it has. */
export function unknownMetric(metric: string, metrics: readonly string[]): CellResolution<never> {
  return { outcome: "unknown", fault: notOneOf(["body", "metric"], metric, metrics) };
}

/** The report has no such row, date or interval. */
export function unknownPart(what: "row" | "date" | "interval"): CellResolution<never> {
  return { outcome: "unknown", fault: fault(`not_allowed.${what}`, ["body", what]) };
}

/** The metric has no dates, or no intervals. */
export function inapplicablePart(what: "date" | "interval"): CellResolution<never> {
  return { outcome: "unknown", fault: fault("not_allowed.of_metric", ["body", what]) };
}

/** The metric requires a date, or an interval. */
export function missingPart(what: "date" | "interval"): CellResolution<never> {
  return { outcome: "unknown", fault: fault("missing", ["body", what]) };
}
