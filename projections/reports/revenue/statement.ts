import type { HeldLines } from "../../../domain/reporting/limits.ts";
import { sortableTotals } from "../../../domain/reporting/revenue/query.ts";
import { contextTables } from "../money/amounts.ts";
import { bindings, orderBy, type Statement } from "../query/statement.ts";
import { cohortPart, costPart, startTable } from "./cohorts.ts";
import { lastValue } from "./last-value.ts";
import { returnTables } from "./returns.ts";
import { type RevenueStatementInput, revenueContext } from "./revenue-context.ts";

/** A group in a block of the range, or on a date of it, as the statement returns it. */
export interface FoundBucket {
  readonly groupBys: readonly (string | null)[];
  /** The number of the group by the sort, from 1. */
  readonly place: number;
  readonly block: number | null;
  readonly day: number | null;
  readonly users: number;
  readonly lostStarts: number;
  /** Decimal text. */
  readonly cost: string;
  readonly spendRows: number;
  readonly lostSpend: number;
  /** Why some of it was masked, as bits. */
  readonly because: number;
  /** Number of returns' amounts without an exchange rate. */
  readonly unrated: number;
  /**
   * Comma-separated texts of `interval counted revenue amounts lost lostAmounts`; revenue is decimal text, or `-`
   * without an amount. Empty without returns.
   */
  readonly cells: string;
}

/**
 * The statement of a revenue report, which returns a {@link FoundBucket} per row, by group in the order of the report.
 * One pass each over the starts, the returns and the spend.
 * @param max size of a result: the statement returns one sub-row or group more; null: all
 */
export function revenueStatement(input: RevenueStatementInput, max: HeldLines | null): Statement {
  const { bind, values } = bindings();
  const context = revenueContext(input, bind);
  const { groups } = context;
  const cost = costPart(context);
  const { query } = input.report;
  const last = groups.length === 0 ? null : lastValue(context);
  const lastColumns = Object.keys(last?.returned ?? {});
  const noneReturned = lastColumns.map((column) => `, 0 as ${column}`).join("");
  const columnOf = (field: string): string | undefined => {
    if (field === query.metric) return "last_value";
    return sortableTotals.some((name) => name === field) ? `"${field}"` : undefined;
  };
  const order = groups.length === 0 ? "true" : orderBy(query, "totalRevenue", columnOf);
  const columns = (...names: string[]): string => [...groups, ...names].join(", ");
  const keys = columns("block", "day");
  const parts = [
    `select ${columns("block")}, null::integer as day, users, lost_starts, because,
        null::numeric as cost, 0 as spend_rows, 0 as lost_spend,
        null::numeric as revenue, 0 as amounts, 0 as lost_amounts, 0 as unrated, null::text as cells${noneReturned}
      from (${cohortPart(context)}) as cohort`,
    `select ${columns("block")}, null, 0, 0, bit_or(because),
        null, 0, 0,
        sum(revenue), sum(amounts), sum(lost_amounts + unrated), sum(unrated),
        string_agg(
          concat_ws(
            ' ', number, counted, coalesce(trim_scale(revenue)::text, '-'), amounts, lost, lost_amounts + unrated
          ),
          ','
        )${Object.entries(last?.returned ?? {})
          .map(([column, sum]) => `, ${sum} as ${column}`)
          .join("")}
      from cell
      group by ${columns("block")}`,
    ...(cost === null
      ? []
      : [
          `select ${columns("block")}, day, 0, 0, 0,
        cost, spend_rows, lost_spend,
        null, 0, 0, 0, null${noneReturned}
      from (${cost}) as spent`,
        ]),
  ];
  const tables = [...contextTables(context.returns), startTable(context), ...returnTables(context)];
  const text = `
    with ${tables.join(", ")}, bucket as (
      select ${keys}, sum(users)::integer as users, sum(lost_starts)::integer as lost_starts, bit_or(because) as because,
        sum(cost) as cost, sum(spend_rows)::integer as spend_rows, sum(lost_spend)::integer as lost_spend,
        sum(revenue) as revenue, sum(amounts) as amounts, sum(lost_amounts) as lost_amounts,
        sum(unrated)::integer as unrated, max(cells) as cells
        ${lastColumns.map((column) => `, sum(${column}) as ${column}`).join("")}
      from (${parts.join(" union all ")}) as part
      group by ${keys}
    ), totalled as (
      select *,
        case
          when sum(lost_starts) over of_group > 0 then nullif(sum(users) over of_group, 0)
          else sum(users) over of_group
        end as "totalUniqueUsers",
        case
          when sum(lost_starts + lost_amounts) over of_group > 0 and sum(amounts) over of_group = 0 then null
          else coalesce(sum(revenue) over of_group, 0)
        end as "totalRevenue",
        sum(cost) over of_group as "totalCost"
        ${last === null ? "" : `, ${last.value} as last_value`}
      from bucket
      window of_group as (${groups.length === 0 ? "" : `partition by ${groups.join(", ")}`})
    ), placed as (
      select *, dense_rank() over (order by ${order}) as place from totalled
    ), numbered as (
      select *, count(block) filter (where users > 0 or spend_rows > 0) over (order by place, block, day rows unbounded preceding) as sub_rows from placed
    )
    select array[${groups.join(", ")}]::text[] as "groupBys", place::integer as "place", block as "block", day as "day",
      users as "users", lost_starts as "lostStarts", coalesce(cost, 0)::text as "cost", spend_rows as "spendRows",
      lost_spend as "lostSpend", because as "because", unrated as "unrated", coalesce(cells, '') as "cells"
    from numbered
    ${max === null ? "" : `where place <= ${max.groups + 1} and sub_rows <= ${Math.min(max.subRows, max.lines) + 1}`}
    order by place, block, day`;
  return { text, values };
}
