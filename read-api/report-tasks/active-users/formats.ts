import { intervalsOf } from "../../../domain/reporting/active-users/intervals.ts";
import { activeUsersValue, noActivity } from "../../../domain/reporting/active-users/metrics.ts";
import type { ActiveUsersQuery } from "../../../domain/reporting/active-users/query.ts";
import type { SucceededTaskOf } from "../../../projections/report-tasks/queries.ts";
import type { ActiveUsersGroup } from "../../../projections/reports/active-users/result-groups.ts";
import { computedRow, type StoredRow } from "../../../projections/reports/results/stored-rows.ts";
import { csvLines } from "../../csv.ts";
import { csvKeys } from "../csv-reply.ts";
import { jsonArray, jsonObject } from "../json-text.ts";
import { taskResponse } from "../task-response.ts";

export const activeUsersGroup = computedRow<ActiveUsersGroup>;

/**
 * A page of the intervals of every group of a report that has succeeded, as JSON in pieces (contract/reports.md#active-users).
 * Values are number literals with every digit that is stored (contract/money.md#exact-amounts).
 */
export async function* activeUsersPage(
  task: SucceededTaskOf<"active_users">,
  chunks: AsyncIterable<readonly StoredRow[]>,
  timezone: string,
  { skip, size }: { readonly skip: number; readonly size: number },
): AsyncGenerator<string> {
  const { metrics } = task.query;
  const { count, textOf } = intervalsOf(task.query, timezone);
  const end = Math.min(skip + size, count);
  const dates = Array.from({ length: Math.max(0, end - skip) }, (_, index) => JSON.stringify(textOf(skip + index)));
  const noActivityValues = metrics.map((metric) => activeUsersValue(metric, noActivity));
  const cellsOf = cellsWriter(metrics);
  const shownGroup = (row: StoredRow): string => {
    const values = [...valuesOf(activeUsersGroup(row), skip, end, noActivityValues)];
    const intervals = values.map((cells, index) => `{"date":${dates[index]},"values":${cellsOf(cells)}}`);
    const groupBys = JSON.stringify(row.groupBys.map((value) => value ?? ""));
    return jsonObject({ rows: jsonArray(intervals), groupBys });
  };
  yield `{"task":${JSON.stringify(taskResponse(task))},"activeUsers":{"data":[`;
  let isFirst = true;
  for await (const rows of chunks) {
    // A group can have a million values.
    for (const row of rows) {
      yield `${isFirst ? "" : ","}${shownGroup(row)}`;
      isFirst = false;
    }
  }
  const pagination = JSON.stringify({ hasNext: end < count, totalCount: count });
  yield `]},"pagination":${pagination},"notifications":${JSON.stringify(task.notifications)}}`;
}

type Values = ActiveUsersGroup["values"][number];

/**
 * Returns a function that writes the values of one interval as a JSON object. A page can have a million of them, so the
 * common parts are computed once.
 */
function cellsWriter(metrics: readonly string[]): (values: Values) => string {
  const keys = [...new Map(metrics.map((metric, index) => [`${JSON.stringify(metric)}:`, index] as const))];
  return (values) => `{${keys.map(([key, index]) => `${key}${values[index] ?? "null"}`).join(",")}}`;
}

/**
 * The metrics of the intervals `from` (inclusive) to `to` (exclusive) of a group, including intervals without values.
 */
function* valuesOf(
  group: ActiveUsersGroup,
  from: number,
  to: number,
  noActivityValues: Values,
): Generator<Values, undefined> {
  let next = firstAtOrAfter(group.intervals, from);
  for (let number = from; number < to; number += 1) {
    const happened = group.intervals[next] === number;
    yield (happened ? group.values[next] : undefined) ?? noActivityValues;
    if (happened) next += 1;
  }
}

function firstAtOrAfter(sorted: readonly number[], number: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? number) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

const linesPerPiece = 1_000;

/** A whole result as CSV, a line for each interval of each group. Missing values are empty. */
export async function* activeUsersCsv(
  query: ActiveUsersQuery,
  timezone: string,
  chunks: AsyncIterable<readonly StoredRow[]>,
): AsyncGenerator<string> {
  const { count, textOf } = intervalsOf(query, timezone);
  const noActivityValues = query.metrics.map((metric) => activeUsersValue(metric, noActivity));
  yield csvLines([[...query.groupBys, "date", ...query.metrics]]);
  for await (const rows of chunks) {
    for (const row of rows) {
      const group = activeUsersGroup(row);
      const keys = csvKeys(group.groupBys);
      for (let from = 0; from < count; from += linesPerPiece) {
        const values = [...valuesOf(group, from, Math.min(from + linesPerPiece, count), noActivityValues)];
        yield values.map((numbers, index) => `${keys}${textOf(from + index)},${numbers.join(",")}\r\n`).join("");
      }
    }
  }
}
