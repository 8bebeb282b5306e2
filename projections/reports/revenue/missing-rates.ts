import type { Statement } from "../actuals/statement.ts";
import { amountOf } from "../query/amounts.ts";
import { bindings } from "../query/bindings.ts";
import { factsOf } from "../query/from-clause.ts";
import { costPart } from "./cost.ts";
import { type RevenueAsked, revenueReading, sharedTables } from "./query-context.ts";
import { returnEventTable, returnsOfStarts } from "./returns.ts";
import { startTable } from "./starts.ts";

/**
 * The amounts that a revenue report leaves out for want of an exchange rate alone (contract/money.md#conversion):
 * `currency`, and `dates text[]` in order.
 */
export function revenueMissingRates(asked: RevenueAsked): Statement {
  const { bind, values } = bindings();
  const reading = revenueReading(asked, bind);
  const { starts } = reading;
  const spent = `union all select fact.currency, fact.local_date
      ${factsOf("spend", starts, [{ kind: "cost" }], [])} and ${amountOf("spend", starts).isLost}`;
  const text = `
    with ${[...sharedTables(reading), startTable(reading), returnEventTable(reading)].join(", ")}
    select currency, array_agg(distinct to_char(local_date, 'YYYY-MM-DD')) as dates
    from (
      select currency, returned_on as local_date from (${returnsOfStarts(reading)}) as return
      where is_unrated and because is null
      ${costPart(reading) === null ? "" : spent}
    ) as lost
    group by currency
    order by currency collate "C"`;
  return { text, values };
}
