import type { Knex } from "knex";
import { type DailyRates, dailyRates, type ExchangeRate } from "../../../domain/reporting/daily-exchange-rates.ts";
import type { MissingRate } from "../../../domain/reporting/notifications.ts";
import { calendarDays } from "../../../domain/values/local-time.ts";
import type { SchemaName } from "../../projection.ts";
import type { RangeAt } from "../query/query-context.ts";
import { type Statement, selectRows } from "../query/statement.ts";

/**
 * The exchange rates in force at a report's position, for each currency and date of it (contract/money.md#conversion).
 */
export async function selectRates(
  trx: Knex.Transaction,
  schema: SchemaName,
  { currency, position, query: { from, to } }: RangeAt,
): Promise<DailyRates> {
  const { rows } = await trx.raw<{ rows: ExchangeRate[] }>(
    `with known as (
       select base, currency, date, rate
       from ${schema}.exchange_rates
       where date <= :to::date and from_position <= :at and to_position > :at
     ), needed as (
       select * from known where date > :from::date
       union all
       (select distinct on (base, currency) * from known where date <= :from::date order by base, currency, date desc)
     )
     select to_char(date, 'YYYY-MM-DD') as date, base, currency, rate::text as units
     from needed
     where base in (select base from needed where currency = :currency)
     order by date`,
    { currency, from, to, at: position.toString() },
  );
  return dailyRates(
    rows,
    currency,
    calendarDays(from, to).map(({ date }) => date),
  );
}

/**
 * The exchange rates that unmasked amounts of a report lack (contract/money.md#conversion): the dates of these amounts
 * in order, by currency.
 * @param tables for the `with` of the statement
 * @param unconverted selects of `currency` and `local_date` of these amounts
 */
export function selectMissingRates(
  trx: Knex.Transaction,
  tables: readonly string[],
  unconverted: readonly string[],
  values: Statement["values"],
): Promise<readonly MissingRate[]> {
  const text = `
    with ${tables.join(", ")}
    select currency, array_agg(distinct to_char(local_date, 'YYYY-MM-DD')) as dates
    from (${unconverted.join(" union all ")}) as unconverted
    group by currency
    order by currency collate "C"`;
  return selectRows(trx, { text, values });
}
