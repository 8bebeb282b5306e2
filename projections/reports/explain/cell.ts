import type { ActualsQuery } from "../../../domain/reporting/actuals/query.ts";
import { withheldGroupBys } from "../../../domain/reporting/masking.ts";
import { type CalendarDay, calendarDays } from "../../../domain/values/local-time.ts";
import type { FactKind } from "../facts/fact-kinds.ts";
import { columnOf, type GroupByColumn } from "../facts/group-by-columns.ts";
import { isMaskedFact } from "../masking/fact-view.ts";
import type { Bind } from "../query/statement.ts";

/** A cell of a report: one metric of one row. */
export interface Cell {
  /** As the row is stored: null where a value is missing. */
  readonly groupBys: readonly (string | null)[];
  readonly metric: string;
}

const dateFields: ReadonlyMap<string, keyof CalendarDay> = new Map([
  ["event_date", "date"],
  ["event_year", "year"],
  ["event_month", "month"],
  ["event_week", "week"],
  ["event_day_of_week", "dayOfWeek"],
]);

/** The report over the dates of a cell, so that only facts of these dates are read. */
export function narrowedTo<Report extends { readonly query: Pick<ActualsQuery, "from" | "to" | "groupBys"> }>(
  { groupBys }: Pick<Cell, "groupBys">,
  report: Report,
): Report {
  const { query } = report;
  const days = calendarDays(query.from, query.to).filter((day) =>
    query.groupBys.every((key, index) => {
      const field = dateFields.get(key);
      return field === undefined || day[field] === groupBys[index];
    }),
  );
  const from = days[0]?.date ?? query.from;
  const to = days.at(-1)?.date ?? query.to;
  return { ...report, query: { ...query, from, to } };
}

/** A group-by of a row with its value: null where it is missing. */
export interface RowValue {
  readonly column: GroupByColumn;
  readonly value: string | null;
  /** Whether fully masked rows show its value (contract/reports.md#masking). */
  readonly isAlwaysShown: boolean;
}

/** The values of a row of a report, by group-by. */
export function rowValues(keys: readonly string[], groupBys: Cell["groupBys"]): readonly RowValue[] {
  return keys.map((key, index) => ({
    column: columnOf(key),
    value: groupBys[index] ?? null,
    isAlwaysShown: withheldGroupBys.includes(key),
  }));
}

/**
 * SQL of whether a fact of a kind belongs to a row. A masked fact also belongs to the fully masked row of its values.
 * @param hasMasked whether facts are joined with `masked`
 */
export function isInRow(kind: FactKind, row: readonly RowValue[], bind: Bind, hasMasked = false): string {
  const isIn = (values: readonly RowValue[]): string => {
    const conditions = values.map(({ column, value }) => {
      const { text } = column[kind];
      return value === null ? `(${text}) is null` : `(${text})::text = ${bind(value)}`;
    });
    return conditions.length === 0 ? "true" : conditions.join(" and ");
  };
  const shown = row.filter(({ isAlwaysShown }) => isAlwaysShown);
  const mayBeMasked = row.every(({ isAlwaysShown, value }) => isAlwaysShown || value === null);
  if (!hasMasked || !mayBeMasked || shown.length === row.length) return isIn(row);
  return `(${isIn(row)} or ${isMaskedFact} and ${isIn(shown)})`;
}
