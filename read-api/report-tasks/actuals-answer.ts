import serialiserOf from "fast-json-stringify";
import type { ReportTaskRow, SucceededReportTask } from "../../projections/report-tasks/queries.ts";
import type { ResultPage } from "../../projections/reports/result-pages.ts";
import type { ResultRow } from "../../projections/reports/run-actuals.ts";
import { actualsPage } from "./schemas.ts";

const serialise = serialiserOf(actualsPage);
const statuses = { requested: "RUNNING", started: "RUNNING", succeeded: "SUCCESS", failed: "FAILURE" } as const;

/** A: Report task. `asOfPosition` is the position that the report is computed at (D7.1). */
export function taskAnswer(task: ReportTaskRow) {
  return {
    status: statuses[task.stage],
    taskId: task.taskId,
    endedAt: "endedAt" in task ? (task.endedAt?.toISOString() ?? null) : null,
    asOfPosition: task.position.toString(),
  };
}

/** A page of a report that has succeeded, as JSON (A: Actuals report, D7.6). */
export function actualsAnswer(
  task: SucceededReportTask,
  { rows, totalCount }: ResultPage,
  asked: { readonly skip: number; readonly viewFormat: boolean },
): string {
  const { metrics } = task.query;
  return serialise({
    task: taskAnswer(task),
    actuals: {
      data: { rows: rows.map((row) => shownRow(row, metrics, asked.viewFormat)) },
      metadata: { rowCount: task.rowCount },
    },
    pagination: { hasNext: asked.skip + rows.length < totalCount, totalCount },
    notifications: task.notifications,
  });
}

function shownRow(row: ResultRow, metrics: readonly string[], viewFormat: boolean) {
  const values = metrics.map((metric, index) => {
    const value = row.values[index] ?? null;
    const isMasked = row.masked[index] ?? false;
    // D7.7: a lower bound, and as such marked.
    const marked = viewFormat && isMasked ? `${value ?? "0"}+` : null;
    return [metric, { value: value === null ? null : Number(value), isMasked, viewFormat: marked }];
  });
  return { values: Object.fromEntries(values), groupBys: row.groupBys.map((value) => value ?? "") };
}
