import type { RequestedReport } from "../../../domain/report-tasks/events.ts";
import type { ReadModel } from "../../projection.ts";
import type { ReportScope } from "../query/query-context.ts";
import { wasCancelled } from "../query/report-transaction.ts";
import type { ReportComputation } from "../results/report-computation.ts";
import type { ExplainedPart, Page } from "./explanation.ts";

export type Explanation =
  | { readonly outcome: "explained"; readonly parts: readonly ExplainedPart[] }
  | { readonly outcome: "too_slow" };

/** Default time limit of a statement of an explanation: that of any query of the read API, whose driver waits no longer. */
const maxExplainMs = 15_000;

/**
 * Explains a cell within a time limit.
 * @param timeoutMs of each statement
 */
export async function explainInTime(
  { explain }: Pick<ReportComputation, "explain">,
  facts: ReadModel,
  report: ReportScope & RequestedReport,
  cell: unknown,
  page: Page,
  timeoutMs = maxExplainMs,
): Promise<Explanation> {
  try {
    return { outcome: "explained", parts: await explain(facts, report, cell, page, { timeoutMs }) };
  } catch (failure) {
    if (wasCancelled(failure)) return { outcome: "too_slow" };
    throw failure;
  }
}
