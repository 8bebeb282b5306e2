import type { ActualsQuery } from "../../../domain/reporting/actuals/query.ts";
import type { SimpleMetric } from "../../../domain/reporting/catalogue/metric.ts";
import { withheldGroupBys } from "../../../domain/reporting/masking.ts";
import { type CalendarDay, calendarDays } from "../../../domain/values/local-time.ts";
import type { FactKind } from "../facts/fact-kinds.ts";
import { fromClause } from "../facts/from-clause.ts";
import { columnOf, type GroupByColumn } from "../facts/group-by-columns.ts";
import { hasMaskedFacts, isMaskedFact, isUnmasked } from "../masking/fact-view.ts";
import type { Bind } from "../query/bindings.ts";
import type { QueryContext } from "../query/query-context.ts";

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
 * SQL of whether a fact of a kind belongs to a row. A masked fact of a group without unmasked facts belongs to the fully
 * masked row of its values.
 * @param hasMasked whether facts are joined with `masked`; then the statement has {@link shownGroupTable}
 */
export function isInRow(kind: FactKind, row: readonly RowValue[], bind: Bind, hasMasked = false): string {
  const isIn = hasValues(kind, row, bind);
  const mayBeMasked = row.every(({ isAlwaysShown, value }) => isAlwaysShown || value === null);
  const shown = alwaysShown(row);
  if (!hasMasked || !mayBeMasked || shown.length === row.length) return isIn;
  const isOfMaskedGroup = `${groupOf(kind, row)} not in (select group_by_texts from shown_group)`;
  return `(${isIn} or ${isMaskedFact} and ${hasValues(kind, shown, bind)} and ${isOfMaskedGroup})`;
}

/**
 * `shown_group` for the `with` of a statement: the groups that unmasked facts of the report show.
 * @param groups a union of {@link unmaskedGroups}
 */
export function shownGroupTable(groups: string): string {
  return `shown_group as materialized (${groups})`;
}

/**
 * A select of the groups of unmasked facts of a kind, each as `text[]`, among those with the values of a row that fully
 * masked rows show.
 * @param metrics those whose facts are read
 * @param condition SQL of which of these facts count
 */
export function unmaskedGroups(
  kind: FactKind,
  row: readonly RowValue[],
  metrics: readonly SimpleMetric[],
  condition: string,
  context: QueryContext,
): string {
  const columns = row.map(({ column }) => column);
  return `select distinct ${groupOf(kind, row)} as group_by_texts
    ${fromClause(kind, context, metrics, columns)}
      and ${hasValues(kind, alwaysShown(row), context.bind)} and (${condition})
      and ${hasMaskedFacts(kind, context) ? isUnmasked : "true"}`;
}

function alwaysShown(row: readonly RowValue[]): readonly RowValue[] {
  return row.filter(({ isAlwaysShown }) => isAlwaysShown);
}

function hasValues(kind: FactKind, values: readonly RowValue[], bind: Bind): string {
  const conditions = values.map(({ column, value }) => {
    const { text } = column[kind];
    return value === null ? `(${text}) is null` : `(${text})::text = ${bind(value)}`;
  });
  return conditions.length === 0 ? "true" : conditions.join(" and ");
}

/** Arrays with missing values are equal, rows of them are not. */
function groupOf(kind: FactKind, row: readonly RowValue[]): string {
  return `array[${row.map(({ column }) => column[kind].text).join(", ")}]::text[]`;
}
