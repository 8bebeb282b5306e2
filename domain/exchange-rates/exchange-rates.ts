import { assertNever, type Decider, type Rejection, rejectField } from "../decider.ts";
import { type Fault, fault, type Path } from "../fault.ts";
import { isCurrency } from "../values/iso-4217.ts";
import { addDays, earliestDate, isLocalDate, type LocalDate, localDate } from "../values/local-time.ts";
import type { ExchangeRatesSet } from "./events.ts";

/** Units of each currency for one unit of the base, decimal text. */
export type Rates = ExchangeRatesSet["data"]["rates"];

/** Sets or replaces the rates of a date. */
export interface SetExchangeRates {
  readonly date: LocalDate;
  readonly base: string;
  readonly rates: Rates;
  /** The last allowed date. */
  readonly latest: LocalDate;
}

export type ExchangeRatesState =
  | { readonly stage: "unset" }
  | { readonly stage: "set"; readonly base: string; readonly rates: Rates };

export type ExchangeRatesRejection = "EXCHANGE_RATE_DATE_NOT_ALLOWED" | "EXCHANGE_RATE_NOT_ALLOWED";

/** The smallest and the largest rate, beyond any currency's: amounts converted at these can still be summed. */
export const rateRange = { min: 1e-12, max: 1e12 } as const;

/** The last date that can have rates (contract/administration.md#exchange-rates): tomorrow by UTC. */
export function latestRateDate(now: number): LocalDate {
  return addDays(localDate("Etc/UTC", now), 1);
}

const aboveZero = /^(?=.*[1-9])\d+(\.\d+)?$/;

function decide(
  { date, base, rates, latest }: SetExchangeRates,
  state: ExchangeRatesState,
): readonly ExchangeRatesSet[] | Rejection<ExchangeRatesRejection> {
  if (!isLocalDate(date) || date < earliestDate || date > latest) {
    return rejectField("EXCHANGE_RATE_DATE_NOT_ALLOWED", ["path", "date"], { earliest: earliestDate, latest });
  }
  const faults = [
    ...(isCurrency(base) ? [] : [notAllowed("currency", ["base"])]),
    ...Object.entries(rates).flatMap(([currency, rate]) => {
      const reason = faultOf(currency, rate, base);
      return reason === null ? [] : [notAllowed(reason, ["rates", currency])];
    }),
  ];
  const stored = withoutBase(base, rates);
  if (faults.length === 0 && Object.keys(stored).length === 0) faults.push(notAllowed("only_base", ["rates"]));
  if (faults.length > 0) return { rejected: "EXCHANGE_RATE_NOT_ALLOWED", faults };
  if (state.stage === "set" && state.base === base && isSame(state.rates, stored)) return [];
  return [{ type: "ExchangeRatesSet", data: { date, base, rates: stored } }];
}

function evolve(_state: ExchangeRatesState, event: ExchangeRatesSet): ExchangeRatesState {
  switch (event.type) {
    case "ExchangeRatesSet":
      return { stage: "set", base: event.data.base, rates: event.data.rates };
    default:
      return assertNever(event.type);
  }
}

type Reason = "base_not_1" | "currency" | "not_above_0" | "only_base";

function faultOf(currency: string, rate: string, base: string): Reason | null {
  if (!isCurrency(currency)) return "currency";
  if (!aboveZero.test(rate)) return "not_above_0";
  return currency === base && Number(rate) !== 1 ? "base_not_1" : null;
}

function notAllowed(reason: Reason, path: Path): Fault {
  return fault(`exchange_rate_not_allowed.${reason}`, ["body", ...path]);
}

/** The rate of the base is always 1. */
function withoutBase(base: string, rates: Rates): Rates {
  return Object.fromEntries(Object.entries(rates).filter(([currency]) => currency !== base));
}

function isSame(one: Rates, other: Rates): boolean {
  const currencies = Object.keys(one);
  return (
    currencies.length === Object.keys(other).length && currencies.every((currency) => one[currency] === other[currency])
  );
}

/** The exchange rates of one date (contract/administration.md#exchange-rates, contract/money.md#conversion). */
export const exchangeRates: Decider<SetExchangeRates, ExchangeRatesSet, ExchangeRatesState, ExchangeRatesRejection> = {
  initialState: { stage: "unset" },
  decide,
  evolve,
};
