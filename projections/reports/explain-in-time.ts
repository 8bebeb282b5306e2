import type { ReadModel } from "../projection.ts";
import { type ExplainedPart, explainActuals, type Page } from "./explain-actuals.ts";
import type { Cell } from "./explain-cell.ts";
import type { ActualsAt } from "./reading.ts";
import { wasCancelled } from "./report-transaction.ts";

export type Explanation =
  | { readonly outcome: "explained"; readonly parts: readonly ExplainedPart[] }
  | { readonly outcome: "too_slow" };

/** Longest time of a statement of an explanation, unless told otherwise: somebody waits for the answer. */
const mostMs = 20_000;

/** Explains a cell, or tells that it cannot be done while somebody waits. */
export async function explainInTime(
  facts: ReadModel,
  report: ActualsAt,
  cell: Cell,
  page: Page,
  timeoutMs = mostMs,
): Promise<Explanation> {
  try {
    return { outcome: "explained", parts: await explainActuals(facts, report, cell, page, { timeoutMs }) };
  } catch (failure) {
    if (wasCancelled(failure)) return { outcome: "too_slow" };
    throw failure;
  }
}
