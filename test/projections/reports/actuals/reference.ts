import type { ReportFilter } from "../../../../domain/report-tasks/events.ts";
import type { ActualsQuery } from "../../../../domain/reporting/actuals/query.ts";
import type { Facts } from "../facts.ts";
import { compareLists, compareValues, isInForce, isShownWhenMasked } from "../reference-rules.ts";
import { noUploads } from "../uploads.ts";
import { measure } from "./reference-measures.ts";
import { type Fact, groupValueOf } from "./reference-values.ts";
import { withholding } from "./reference-withheld.ts";

/** An actuals report, worked out slowly and plainly, row by row: what the SQL is held against. */
interface ReferenceRow {
  readonly groupBys: readonly (string | null)[];
  readonly values: readonly (number | null)[];
  readonly masked: readonly boolean[];
}

export interface ReferenceQuestion {
  readonly appId: number;
  readonly currency: string;
  readonly query: ActualsQuery;
  readonly onlyChannels: readonly string[] | null;
  readonly position: number;
  /** The report's 'now', where it matters. */
  readonly now?: Date;
}

/** The time zone of the app and the report's 'now'. */
export const reportTime = { timezone: "Asia/Seoul", now: new Date("2026-04-10T00:00:00Z") };

export function referenceRows(facts: Facts, question: ReferenceQuestion): readonly ReferenceRow[] {
  const { query, currency, position } = question;
  const { rates } = facts.uploads ?? noUploads;
  const inForce = rates.filter((rate) => isInForce(rate, position));
  const isWithheld = memoized(withholding(facts, question));
  const cells = new Map<string, Fact[]>();
  if (query.groupBys.length === 0) cells.set("[]", []);
  for (const fact of factsInQuestion(facts, question)) {
    const key = JSON.stringify(query.groupBys.map((groupBy) => groupValueOf(fact, groupBy)));
    const cell = cells.get(key) ?? [];
    cell.push(fact);
    cells.set(key, cell);
  }
  const rows: ReferenceRow[] = [];
  for (const [key, cell] of shownCells(cells, query, (facts) => {
    const unmasked = facts.filter((fact) => !isWithheld(fact));
    return query.metrics.some((metric) => measure(metric, unmasked, isWithheld, currency, inForce).counted);
  })) {
    const measured = query.metrics.map((metric) => measure(metric, cell, isWithheld, currency, inForce));
    if (query.groupBys.length > 0 && !measured.some(({ counted }) => counted)) continue;
    rows.push({
      groupBys: JSON.parse(key),
      values: measured.map(({ value }) => value),
      masked: measured.map(({ masked }) => masked === true),
    });
  }
  return rows.sort((one, other) => compareRows(query, one, other));
}

/** Fully masked cells are one by what is shown of them. */
function shownCells(
  cells: ReadonlyMap<string, readonly Fact[]>,
  { groupBys }: ActualsQuery,
  isAnyUnmasked: (facts: readonly Fact[]) => boolean,
): ReadonlyMap<string, readonly Fact[]> {
  const shown = new Map<string, readonly Fact[]>();
  for (const [key, facts] of cells) {
    const values: readonly (string | null)[] = JSON.parse(key);
    const showsAll = isAnyUnmasked(facts);
    const shownKey = JSON.stringify(
      values.map((value, index) => (showsAll || isShownWhenMasked(groupBys[index]) ? value : null)),
    );
    shown.set(shownKey, [...(shown.get(shownKey) ?? []), ...facts]);
  }
  return shown;
}

function memoized<Key extends object, Value>(of: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.has(key) ? (known.get(key) as Value) : of(key);
    known.set(key, value);
    return value;
  };
}

/** The facts that a question reads, those that are withheld among them. */
export function factsInQuestion(
  facts: Facts,
  { appId, query, onlyChannels, position }: ReferenceQuestion,
): readonly Fact[] {
  const { spend, uploadedMetrics } = facts.uploads ?? noUploads;
  const stays = ({ to }: { readonly to: number | null }): boolean => to === null || to > position;
  const all: readonly Fact[] = [
    ...facts.touchpoints.filter(({ human }) => human).map((of) => ({ is: "touchpoint" as const, of })),
    ...facts.appEvents.filter(stays).map((of) => ({ is: "event" as const, of })),
    ...spend.filter(stays).map((of) => ({ is: "spend" as const, of })),
    ...uploadedMetrics.filter(stays).map((of) => ({ is: "uploaded" as const, of })),
  ];
  return all
    .filter(({ of }) => of.appId === appId && of.from !== null && of.from <= position)
    .filter(({ of }) => of.date >= query.from && of.date <= query.to)
    .filter((fact) => onlyChannels === null || onlyChannels.includes(groupValueOf(fact, "channel") ?? ""))
    .filter((fact) => query.filters.every((filter) => passes(groupValueOf(fact, filter.dimension) ?? "", filter)));
}

/** Filters (contract/reports.md#filters), read plainly. */
export function passes(text: string, { filterType, values }: Omit<ReportFilter, "dimension">): boolean {
  switch (filterType) {
    case "IN":
      return values.includes(text);
    case "NOT IN":
      return !values.includes(text);
    case "LIKE":
      return values.some((value) => contains(text, value));
    case "NOT LIKE":
      return !values.some((value) => contains(text, value));
    case "EXIST":
      return text !== "";
    case "NOT EXIST":
      return text === "";
  }
}

/** Whether the parts between the `*` of a value stand one after the other in a text, whatever the case. */
function contains(text: string, value: string): boolean {
  let rest = text.toUpperCase();
  for (const part of value.toUpperCase().split("*")) {
    const at = rest.indexOf(part);
    if (at < 0) return false;
    rest = rest.slice(at + part.length);
  }
  return true;
}

function compareRows({ groupBys, metrics, sorts }: ActualsQuery, one: ReferenceRow, other: ReferenceRow): number {
  const requested = sorts.length > 0 ? sorts : [{ fieldName: metrics[0] ?? "", isAscending: false }];
  for (const { fieldName, isAscending } of requested) {
    const metric = metrics.indexOf(fieldName);
    const [a, b] = [one, other].map((row) =>
      metric >= 0 ? row.values[metric] : row.groupBys[groupBys.indexOf(fieldName)],
    );
    const order = compareValues(a ?? null, b ?? null, isAscending ? 1 : -1);
    if (order !== 0) return order;
  }
  return compareLists(one.groupBys, other.groupBys);
}
