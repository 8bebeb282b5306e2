import { type Fault, fault } from "../../domain/fault.ts";
import type { CellOfReport } from "../../projections/reports/explain/explain.ts";

/** Which cell a request names. */
export interface NamedCell {
  readonly row: readonly string[];
  readonly metric: string;
  /** Of active users the interval, as the report answers it, or its beginning alone; of cohorts a sub-row's. */
  readonly date?: string;
  /** Of cohorts, the number of an interval. */
  readonly interval?: number;
}

/** A cell of a stored result. */
export interface FoundCell {
  readonly outcome: "found";
  readonly asked: CellOfReport;
  /** Exact decimal text; null: nothing to show. */
  readonly value: string | null;
  /** Whether it has lost something; null: its report does not say that of cells. */
  readonly isMasked: boolean | null;
  /** What the quotient of a ratio is multiplied by; null: it is none. */
  readonly times: number | null;
}

export type Named = FoundCell | { readonly outcome: "unknown"; readonly fault: Fault };

/** The report has no such row, metric, date or interval. */
export function unknown(what: keyof NamedCell): Named {
  return { outcome: "unknown", fault: fault(`not_allowed.${what}`, ["body", what]) };
}

/** The metric has one only with a date, or an interval. */
export function missing(what: "date" | "interval"): Named {
  return { outcome: "unknown", fault: fault("missing", ["body", what]) };
}
