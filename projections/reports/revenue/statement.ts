import type { ResultLimits } from "../../../domain/reporting/limits.ts";
import { sortableTotals } from "../../../domain/reporting/revenue/query.ts";
import { contextTables } from "../money/amounts.ts";
import { bindings, type Statement } from "../query/bindings.ts";
import { orderBy } from "../query/order-by.ts";
import { costPart } from "./cohort-cost.ts";
import { cohortPart, startTable } from "./cohorts.ts";
import { returnTables } from "./returns.ts";
import { type RevenueStatementInput, revenueContext } from "./revenue-context.ts";
import { lastValue } from "./sort-by-metric.ts";

/** A group in a block of the range, or on a date of it, as the statement returns it. */
export interface FoundBucket {
  readonly groupBys: readonly (string | null)[];
  /** The number of the group by the sort, from 1. */
  readonly place: number;
  readonly block: number | null;
  readonly day: number | null;
  readonly users: number;
  readonly maskedStarts: number;
  /** Decimal text. */
  readonly cost: string;
  readonly spendRows: number;
  readonly unconvertedSpend: number;
  /** Why some of it was masked, as bits. */
  readonly maskingReasons: number;
  /** Number of unmasked returns' amounts without an exchange rate. */
  readonly unconvertedAmounts: number;
  /**
   * Comma-separated texts of `interval counted revenue amounts maskedReturns excludedAmounts`; revenue is decimal text,
   * or `-` without an amount. Empty without returns.
   */
  readonly cells: string;
}

/**
 * The statement of a revenue report, which returns a {@link FoundBucket} per row, by group in the order of the report.
 * One pass each over the starts, the returns and the spend.
 * @param max size of a result: the statement returns one sub-row or group more; null: all
 */
export function revenueStatement(input: RevenueStatementInput, max: ResultLimits | null): Statement {
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
  const ofBlock = [...groups, "block"].join(", ");
  const keys = `${ofBlock}, day`;
  const parts = [
    `select ${ofBlock}, null::integer as day, users, masked_starts, masking_reasons,
        null::numeric as cost, 0 as spend_rows, 0 as unconverted_spend,
        null::numeric as revenue, 0 as amounts, 0 as excluded_amounts, 0 as unconverted_amounts,
        null::text as cells${noneReturned}
      from (${cohortPart(context)}) as cohort`,
    `select ${ofBlock}, null, 0, 0, bit_or(masking_reasons),
        null, 0, 0,
        sum(revenue), sum(amounts), sum(masked_amounts + unconverted_amounts), sum(unconverted_amounts),
        string_agg(
          concat_ws(
            ' ', number, counted, coalesce(trim_scale(revenue)::text, '-'), amounts, masked_returns,
            masked_amounts + unconverted_amounts
          ),
          ','
        )${Object.entries(last?.returned ?? {})
          .map(([column, sum]) => `, ${sum} as ${column}`)
          .join("")}
      from cell
      group by ${ofBlock}`,
    ...(cost === null
      ? []
      : [
          `select ${ofBlock}, day, 0, 0, 0,
        cost, spend_rows, unconverted_spend,
        null, 0, 0, 0, null${noneReturned}
      from (${cost}) as spent`,
        ]),
  ];
  const tables = [...contextTables(context.returns), startTable(context), ...returnTables(context)];
  const text = `
    with ${tables.join(", ")}, bucket as (
      select ${keys}, sum(users)::integer as users, sum(masked_starts)::integer as masked_starts,
        bit_or(masking_reasons) as masking_reasons,
        sum(cost) as cost, sum(spend_rows)::integer as spend_rows, sum(unconverted_spend)::integer as unconverted_spend,
        sum(revenue) as revenue, sum(amounts) as amounts, sum(excluded_amounts) as excluded_amounts,
        sum(unconverted_amounts)::integer as unconverted_amounts, max(cells) as cells
        ${lastColumns.map((column) => `, sum(${column}) as ${column}`).join("")}
      from (${parts.join(" union all ")}) as part
      group by ${keys}
    ), totalled as (
      select *,
        case
          when sum(masked_starts) over of_group > 0 then nullif(sum(users) over of_group, 0)
          else sum(users) over of_group
        end as "totalUniqueUsers",
        case
          when sum(masked_starts + excluded_amounts) over of_group > 0 and sum(amounts) over of_group = 0 then null
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
      users as "users", masked_starts as "maskedStarts", coalesce(cost, 0)::text as "cost", spend_rows as "spendRows",
      unconverted_spend as "unconvertedSpend", masking_reasons as "maskingReasons",
      unconverted_amounts as "unconvertedAmounts", coalesce(cells, '') as "cells"
    from numbered
    ${max === null ? "" : `where place <= ${max.groups + 1} and sub_rows <= ${Math.min(max.subRows, max.lines) + 1}`}
    order by place, block, day`;
  return { text, values };
}
