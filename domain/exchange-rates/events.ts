// NOTE storage format
import type { DomainEvent } from "../event.ts";

/**
 * The exchange rates of one date (contract/administration.md#exchange-rates, contract/money.md#conversion), in place of
 * any that were set for it before.
 */
export type ExchangeRatesSet = DomainEvent<
  "ExchangeRatesSet",
  {
    /** `2026-03-31`. */
    readonly date: string;
    readonly base: string;
    /** Units of each currency for one `base`, decimal text above 0. */
    readonly rates: { readonly [currency: string]: string };
  }
>;
