import type { LocalDate } from "../values/local-time.ts";

/** The exchange rate between the app's currency and another on a date: units of each for one base, decimal text. */
export interface RatePair {
  readonly currency: string;
  readonly date: LocalDate;
  readonly appUnits: string;
  readonly ownUnits: string;
}

/** By currency: the exchange rate of each date of a range; null where there is none. */
export type DailyRates = ReadonlyMap<string, readonly (RatePair | null)[]>;

/**
 * The rates of each currency on each of some dates (contract/money.md#conversion): those of that date, else of the
 * latest earlier one that has both currencies.
 * @param pairs at most one of a currency and date, in the order of dates
 * @param dates in order
 */
export function dailyRates(pairs: readonly RatePair[], dates: readonly LocalDate[]): DailyRates {
  const byCurrency = new Map<string, RatePair[]>();
  for (const pair of pairs) {
    const known = byCurrency.get(pair.currency);
    if (known === undefined) byCurrency.set(pair.currency, [pair]);
    else known.push(pair);
  }
  return new Map([...byCurrency].map(([currency, known]) => [currency, onEachDate(known, dates)]));
}

function onEachDate(known: readonly RatePair[], dates: readonly LocalDate[]): readonly (RatePair | null)[] {
  let next = 0;
  return dates.map((date) => {
    while (next < known.length && (known[next]?.date ?? date) <= date) next += 1;
    return known[next - 1] ?? null;
  });
}
