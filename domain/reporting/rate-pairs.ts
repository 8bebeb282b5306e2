import type { LocalDate } from "../values/local-time.ts";

/** An exchange rate of a date: units of a currency for one unit of the base, decimal text; of the base itself 1. */
export interface ExchangeRate {
  readonly date: LocalDate;
  readonly base: string;
  readonly currency: string;
  readonly units: string;
}

/**
 * The rates by which amounts of a currency are converted to the app's: units of each for one unit of the same base,
 * decimal text. `date` is that of the older one.
 */
export interface RatePair {
  readonly date: LocalDate;
  readonly appUnits: string;
  readonly ownUnits: string;
}

/** By currency: the rates of each date of a range; null where there are none. */
export type DailyRates = ReadonlyMap<string, readonly (RatePair | null)[]>;

type RatesByCurrency = Map<string, ExchangeRate>;

/**
 * The rates of each foreign currency on each of some dates (contract/money.md#conversion): its own and the app's, each
 * the latest one at or before the date.
 * @param rates at most one of a date and currency, in the order of dates
 * @param dates in order
 */
export function dailyRates(
  rates: readonly ExchangeRate[],
  appCurrency: string,
  dates: readonly LocalDate[],
): DailyRates {
  const foreign = new Set(rates.map(({ currency }) => currency).filter((currency) => currency !== appCurrency));
  const daily = new Map([...foreign].map((currency): [string, (RatePair | null)[]] => [currency, []]));
  const latest = new Map<string, RatesByCurrency>();
  let next = 0;
  for (const date of dates) {
    for (let rate = rates[next]; rate !== undefined && rate.date <= date; rate = rates[next]) {
      const ofBase = latest.get(rate.base) ?? new Map<string, ExchangeRate>();
      latest.set(rate.base, ofBase.set(rate.currency, rate));
      next += 1;
    }
    for (const [currency, pairs] of daily) pairs.push(pairOf(latest.values(), appCurrency, currency));
  }
  return daily;
}

/** Of several bases that have both currencies, the one whose older rate is the most recent. */
function pairOf(bases: Iterable<RatesByCurrency>, appCurrency: string, currency: string): RatePair | null {
  let latest: RatePair | null = null;
  for (const ofBase of bases) {
    const [app, own] = [ofBase.get(appCurrency), ofBase.get(currency)];
    if (app === undefined || own === undefined) continue;
    const older = app.date < own.date ? app : own;
    if (latest !== null && older.date < latest.date) continue;
    latest = { date: older.date, appUnits: app.units, ownUnits: own.units };
  }
  return latest;
}
