// NOTE storage format
import type { DomainEvent } from "../event.ts";

/**
 * The exchange rates of one date were set or replaced (contract/administration.md#exchange-rates,
 * contract/money.md#conversion).
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
