import type { Knex } from "knex";
import { dayMs, quarterHourMs } from "../domain/values/instants.ts";
import type { SchemaName } from "./projection.ts";

/** The columns by which the rows of a table are counted, each derived from a row in SQL, and never null. */
interface CountedBy {
  readonly columns: { readonly [column: string]: string };
  /** An instant of each row. */
  readonly instant?: string;
}

/** Instants, the second exclusive. Both begin a quarter of an hour, as the days of every time zone do. */
export interface Period {
  readonly from: Date;
  readonly before: Date;
}

/** An instant of the rows of a table, by which they are counted, and the period in which it lies; null: any. */
export interface Dated {
  readonly instant: string;
  readonly period: Period | null;
}

/** The table in which {@link keepCounts} keeps the counts of a table. */
export const countsOf = (table: string): string => `${table}_counts`;

/**
 * Creates a table ({@link countsOf}) with the number of rows (`items`) of a table by the values of the columns, and
 * triggers that maintain it. By their instant, rows are counted twice: in its day, in UTC, and in its quarter of an
 * hour. Rows of the table are only inserted and updated, by one transaction at a time.
 */
export async function keepCounts(
  trx: Knex.Transaction,
  schema: SchemaName,
  table: string,
  { columns, instant }: CountedBy,
): Promise<void> {
  const counts = `${schema}.${countsOf(table)}`;
  const key = [...Object.keys(columns), ...(instant === undefined ? [] : ["span", instant])];
  const keys = key.join(", ");
  const ofRow = Object.entries(columns).map(([column, derivation]) => `${derivation} as ${column}`);
  const ofSpan =
    instant === undefined ? [] : ["span", `date_bin(span, ${instant}, '2000-01-01T00:00:00Z') as ${instant}`];
  const spans =
    instant === undefined ? "" : `cross join unnest('{${day.span},${quarterHour.span}}'::interval[]) as span`;
  const counted = (rows: string, more: string): string =>
    `select ${[...ofRow, ...ofSpan].join(", ")}, ${more} from ${rows} ${spans}`;
  const countTrigger = (operation: "insert" | "update", transitions: string, changes: string): string => `
    create function ${schema}.count_${table}_after_${operation}() returns trigger language plpgsql as $$ begin
      merge into ${counts} as counted
      using (select ${keys}, sum(more) as more from (${changes}) as rows group by ${keys} having sum(more) <> 0) as changed
      on ${key.map((column) => `counted.${column} = changed.${column}`).join(" and ")}
      when matched and counted.items + changed.more = 0 then delete
      when matched then update set items = counted.items + changed.more
      when not matched then insert (${keys}, items) values (${key.map((column) => `changed.${column}`).join(", ")}, more);
      return null;
    end $$;
    create trigger count_after_${operation} after ${operation} on ${schema}.${table} referencing ${transitions}
    for each statement execute function ${schema}.count_${table}_after_${operation}();`;
  await trx.raw(`
    create table ${counts} as ${counted(`${schema}.${table}`, "0::bigint as items")} with no data;
    alter table ${counts} add primary key (${keys});
    ${countTrigger("insert", "new table as inserted", counted("inserted", "1 as more"))}
    ${countTrigger(
      "update",
      "old table as earlier new table as later",
      `${counted("earlier", "-1 as more")} union all ${counted("later", "1 as more")}`,
    )}
  `);
}

/**
 * SQL of the number of rows of a table that meet conditions on the columns of its counts and have their instant in a
 * period. Whole days are read as one count each, the rest of the period by quarters of an hour.
 */
export function countedRows(schema: SchemaName, table: string, conditions: readonly string[], dated?: Dated): string {
  const counts = `${schema}.${countsOf(table)}`;
  const sum = (more: readonly string[]): string =>
    `select sum(items) as items from ${counts} where ${[...conditions, ...more].join(" and ")}`;
  const sums =
    dated === undefined
      ? [sum([])]
      : spansOf(dated.period).map(({ span, period }) =>
          sum([`span = '${span}'`, ...periodConditions({ ...dated, period })]),
        );
  return `select coalesce(sum(items), 0)::bigint from (${sums.join(" union all ")}) as sums`;
}

/** SQL conditions that the instant lies in the period. */
export function periodConditions({ instant, period }: Dated): readonly string[] {
  if (period === null) return [];
  return [`${instant} >= '${period.from.toISOString()}'`, `${instant} < '${period.before.toISOString()}'`];
}

const day = { span: "1 day", ms: dayMs };
const quarterHour = { span: "15 minutes", ms: quarterHourMs };

interface Spans {
  readonly span: string;
  readonly period: Period | null;
}

/** The whole days of a period, and the quarters of an hour before and after them. */
function spansOf(period: Period | null): readonly Spans[] {
  if (period === null) return [{ span: day.span, period }];
  const { from, before } = period;
  const firstDay = new Date(Math.ceil(from.getTime() / day.ms) * day.ms);
  const lastDay = new Date(Math.floor(before.getTime() / day.ms) * day.ms);
  if (firstDay >= lastDay) return [{ span: quarterHour.span, period }];
  return [
    { span: quarterHour.span, period: { from, before: firstDay } },
    { span: day.span, period: { from: firstDay, before: lastDay } },
    { span: quarterHour.span, period: { from: lastDay, before } },
  ];
}
