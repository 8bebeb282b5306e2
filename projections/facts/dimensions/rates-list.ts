import type { LocalDate } from "../../../domain/values/local-time.ts";
import type { ListPage, PageQuery } from "../../list-page.ts";
import type { ReadModel } from "../../projection.ts";
import { inForce } from "../sql/in-force.ts";

/** The rates of a date as they are now. */
export interface RatesRow {
  readonly date: LocalDate;
  readonly base: string;
  /** Units of each currency for one `base`. */
  readonly rates: { readonly [currency: string]: number };
  /** Of the event that set them. */
  readonly position: bigint;
}

export interface RatesList extends PageQuery {
  /** Both inclusive; null: without an end. */
  readonly from: LocalDate | null;
  readonly to: LocalDate | null;
}

/** A page of the dates that have exchange rates, the newest first (contract/administration.md#exchange-rates). */
export async function listExchangeRates({ db, schema }: ReadModel, list: RatesList): Promise<ListPage<RatesRow>> {
  const { rows } = await db.raw<{ rows: readonly (RatesRow & { readonly total: bigint })[] }>(
    `with dated as (
       select distinct date, base, from_position as position
       from ${schema}.exchange_rates
       where to_position = :inForce
         and date between coalesce(:from::date, '-infinity') and coalesce(:to::date, 'infinity')
     ), page as (
       select * from dated order by date desc offset :skip limit :size
     )
     select counted.total, page.date, page.base, page.position, of_date.rates
     from (select count(*) as total from dated) as counted
     left join page on true
     left join lateral (
       select json_object_agg(currency, rate order by currency collate "C") as rates
       from ${schema}.exchange_rates as stored
       where stored.date = page.date and stored.to_position = :inForce and stored.currency <> page.base
     ) as of_date on true
     order by page.date desc`,
    { ...list, inForce: inForce.toString() },
  );
  return {
    rows: rows.flatMap(({ total: _total, ...row }) => (row.date === null ? [] : [row])),
    totalCount: Number(rows[0]?.total ?? 0),
  };
}
