import type { Knex } from "knex";
import type { MissingRate } from "../../../domain/reporting/notifications.ts";
import { type Statement, selectRows } from "./statement.ts";

/**
 * The amounts that a report leaves out only because an exchange rate is missing (contract/money.md#conversion), by
 * currency, with their dates in order.
 * @param tables for the `with` of the statement
 * @param lost selects of `currency` and `local_date` of such amounts
 */
export function selectMissingRates(
  trx: Knex.Transaction,
  tables: readonly string[],
  lost: readonly string[],
  values: Statement["values"],
): Promise<readonly MissingRate[]> {
  const text = `
    with ${tables.join(", ")}
    select currency, array_agg(distinct to_char(local_date, 'YYYY-MM-DD')) as dates
    from (${lost.join(" union all ")}) as lost
    group by currency
    order by currency collate "C"`;
  return selectRows(trx, { text, values });
}
