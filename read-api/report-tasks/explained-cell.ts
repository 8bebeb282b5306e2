import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { activeUsersValue, isActiveUsersMetric, noActivity } from "../../domain/reporting/active-users.ts";
import { intervalsOf } from "../../domain/reporting/active-users-intervals.ts";
import { askedMetric } from "../../domain/reporting/catalogue.ts";
import type { FieldFault } from "../../infra/http/problem.ts";
import type { SucceededTaskOf } from "../../projections/report-tasks/queries.ts";
import type { CellOfReport } from "../../projections/reports/explain-in-time.ts";
import type { StoredResults } from "../../projections/reports/result-pages.ts";
import { activeUsersGroup } from "./active-users-answer.ts";
import { actualsRow } from "./actuals-answer.ts";

/** Which cell a request names. */
export interface NamedCell {
  readonly row: readonly string[];
  readonly metric: string;
  /** The interval, as the report answers it, or its beginning alone. */
  readonly date?: string;
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

type Named = FoundCell | { readonly outcome: "unknown"; readonly fault: FieldFault };

/** The report has no such row, metric or date. */
function unknown(what: keyof NamedCell): Named {
  const fault = { loc: ["body", what], msg: `is not a ${what} of this report`, type: "not_allowed" };
  return { outcome: "unknown", fault };
}

/** A cell of a report whose kind can be explained, by its names. Refuses names of what the report has not. */
export function cellNamed(
  task: SucceededTaskOf<"actuals" | "active_users">,
  named: NamedCell,
  results: StoredResults,
  app: RegisteredApp,
): Promise<Named> {
  return task.report === "actuals" ? actualsCell(task, named, results) : activeUsersCell(task, named, results, app);
}

async function actualsCell(
  { taskId, query }: SucceededTaskOf<"actuals">,
  { row, metric, date }: NamedCell,
  results: StoredResults,
): Promise<Named> {
  const place = query.metrics.indexOf(metric);
  if (place < 0) return unknown("metric");
  if (date !== undefined) return unknown("date");
  const stored = await results.row(taskId, row);
  if (stored === null) return unknown("row");
  const { groupBys, values, masked } = actualsRow(stored);
  const counted = askedMetric(metric);
  return {
    outcome: "found",
    asked: { report: "actuals", query, cell: { groupBys, metric } },
    value: values[place] ?? null,
    isMasked: masked[place] ?? false,
    times: counted.kind === "ratio" ? counted.times : null,
  };
}

async function activeUsersCell(
  { taskId, query }: SucceededTaskOf<"active_users">,
  { row, metric, date }: NamedCell,
  results: StoredResults,
  { timezone }: RegisteredApp,
): Promise<Named> {
  if (!isActiveUsersMetric(metric) || !query.metrics.includes(metric)) return unknown("metric");
  if (date === undefined) {
    return { outcome: "unknown", fault: { loc: ["body", "date"], msg: "is required", type: "missing" } };
  }
  const interval = intervalsOf(query, timezone).numberOf(date);
  if (interval === null) return unknown("date");
  const stored = await results.row(taskId, row);
  if (stored === null) return unknown("row");
  const { groupBys, intervals, values } = activeUsersGroup(stored);
  const happened = values[intervals.indexOf(interval)];
  return {
    outcome: "found",
    asked: { report: "active_users", query, cell: { groupBys, metric, interval } },
    value:
      happened === undefined ? activeUsersValue(metric, noActivity) : (happened[query.metrics.indexOf(metric)] ?? null),
    isMasked: null,
    times: metric === "app_arpu" || metric === "app_arppu" ? 1 : null,
  };
}
