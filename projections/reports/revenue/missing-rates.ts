import type { Statement } from "../actuals/statement.ts";
import { amountOf } from "../query/amounts.ts";
import { bindings } from "../query/bindings.ts";
import { fromClause } from "../query/from-clause.ts";
import { costPart } from "./cost.ts";
import { type RevenueStatementInput, revenueContext, sharedTables } from "./query-context.ts";
import { returnEventTable, returnsOfStarts } from "./returns.ts";
import { startTable } from "./starts.ts";

/**
 * The amounts that a revenue report leaves out for want of an exchange rate alone (contract/money.md#conversion):
 * `currency`, and `dates text[]` in order.
 */
export function revenueMissingRates(asked: RevenueStatementInput): Statement {
  const { bind, values } = bindings();
  const context = revenueContext(asked, bind);
  const { starts } = context;
  const spent = `union all select fact.currency, fact.local_date
      ${fromClause("spend", starts, [{ kind: "cost" }], [])} and ${amountOf("spend", starts).isLost}`;
  const text = `
    with ${[...sharedTables(context), startTable(context), returnEventTable(context)].join(", ")}
    select currency, array_agg(distinct to_char(local_date, 'YYYY-MM-DD')) as dates
    from (
      select currency, returned_on as local_date from (${returnsOfStarts(context)}) as return
      where is_unrated and because is null
      ${costPart(context) === null ? "" : spent}
    ) as lost
    group by currency
    order by currency collate "C"`;
  return { text, values };
}
