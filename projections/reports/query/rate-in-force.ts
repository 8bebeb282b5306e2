import type { Knex } from "knex";
import { type DailyRates, dailyRates, type RatePair } from "../../../domain/reporting/currency-conversion.ts";
import { calendarDays } from "../../../domain/values/local-time.ts";
import type { SchemaName } from "../../projection.ts";
import type { RangeAt } from "./query-context.ts";

/**
 * The exchange rates in force at a report's position, for each currency and date of it (contract/money.md#conversion).
 */
export async function selectRates(
  trx: Knex.Transaction,
  schema: SchemaName,
  { currency, position, query: { from, to } }: RangeAt,
): Promise<DailyRates> {
  const { rows } = await trx.raw<{ rows: RatePair[] }>(
    `with pair as (
       select theirs.currency, theirs.date, ours.rate as app_units, theirs.rate as own_units
       from ${schema}.exchange_rates as theirs
       join ${schema}.exchange_rates as ours on ours.date = theirs.date and ours.base = theirs.base
       where ours.currency = :currency and theirs.currency <> :currency and theirs.date <= :to::date
         and ours.from_position <= :at and ours.to_position > :at
         and theirs.from_position <= :at and theirs.to_position > :at
     ), needed as (
       select * from pair where date > :from::date
       union all
       (select distinct on (currency) * from pair where date <= :from::date order by currency, date desc)
     )
     select currency, to_char(date, 'YYYY-MM-DD') as date, app_units::text as "appUnits", own_units::text as "ownUnits"
     from needed
     order by date`,
    { currency, from, to, at: position.toString() },
  );
  return dailyRates(
    rows,
    calendarDays(from, to).map(({ date }) => date),
  );
}
