import { assertNever } from "../../../domain/decider.ts";
import type { ActiveUsersQuery } from "../../../domain/reporting/active-users/query.ts";
import type { ActualsQuery } from "../../../domain/reporting/actuals/query.ts";
import type { RetentionQuery } from "../../../domain/reporting/retention/query.ts";
import type { RevenueQuery } from "../../../domain/reporting/revenue/query.ts";
import type { ReadModel } from "../../projection.ts";
import { type ActiveUsersCell, explainActiveUsers } from "../active-users/explain.ts";
import { explainActuals } from "../actuals/explain.ts";
import type { Standpoint } from "../query/query-context.ts";
import { type ReportLimits, wasCancelled } from "../query/report-transaction.ts";
import { explainRetention, type RetentionCell } from "../retention/explain.ts";
import { explainRevenue, type RevenueCell } from "../revenue/explain.ts";
import type { Cell } from "./explain-cell.ts";
import type { ExplainedPart, Page } from "./explain-parts.ts";

/** A cell, and what its report was asked. */
export type CellOfReport =
  | { readonly report: "actuals"; readonly query: ActualsQuery; readonly cell: Cell }
  | { readonly report: "active_users"; readonly query: ActiveUsersQuery; readonly cell: ActiveUsersCell }
  | { readonly report: "retention"; readonly query: RetentionQuery; readonly cell: RetentionCell }
  | { readonly report: "revenue"; readonly query: RevenueQuery; readonly cell: RevenueCell };

export type Explanation =
  | { readonly outcome: "explained"; readonly parts: readonly ExplainedPart[] }
  | { readonly outcome: "too_slow" };

/** Longest time of a statement of an explanation, unless told otherwise: somebody waits for the answer. */
const mostMs = 20_000;

/** Explains a cell, or tells that it cannot be done while somebody waits. */
export async function explainInTime(
  facts: ReadModel,
  from: Standpoint,
  asked: CellOfReport,
  page: Page,
  timeoutMs = mostMs,
): Promise<Explanation> {
  try {
    return { outcome: "explained", parts: await explain(facts, from, asked, page, { timeoutMs }) };
  } catch (failure) {
    if (wasCancelled(failure)) return { outcome: "too_slow" };
    throw failure;
  }
}

function explain(
  facts: ReadModel,
  from: Standpoint,
  asked: CellOfReport,
  page: Page,
  limits: ReportLimits,
): Promise<readonly ExplainedPart[]> {
  switch (asked.report) {
    case "actuals":
      return explainActuals(facts, { ...from, query: asked.query }, asked.cell, page, limits);
    case "active_users":
      return explainActiveUsers(facts, { ...from, query: asked.query }, asked.cell, page, limits);
    case "retention":
      return explainRetention(facts, { ...from, query: asked.query }, asked.cell, page, limits);
    case "revenue":
      return explainRevenue(facts, { ...from, query: asked.query }, asked.cell, page, limits);
    default:
      return assertNever(asked);
  }
}
