import { addDays, daysBetween, type LocalDate } from "../local-time.ts";

/** How the app's currency stands to another on a date: units of each for one base, decimal text. */
export interface RatePair {
  readonly currency: string;
  readonly date: LocalDate;
  readonly appUnits: string;
  readonly ownUnits: string;
}

/**
 * The rates that amounts of each currency and date of a range are converted with (D12): those of that date, else of the
 * latest earlier one that has both currencies. Dates before a currency's first rate are left out.
 * @param pairs at most one of a currency and date
 */
export function ratesByDay(pairs: readonly RatePair[], from: LocalDate, to: LocalDate): readonly RatePair[] {
  const byCurrency = new Map<string, RatePair[]>();
  for (const pair of pairs) {
    const known = byCurrency.get(pair.currency);
    if (known === undefined) byCurrency.set(pair.currency, [pair]);
    else known.push(pair);
  }
  return [...byCurrency.values()].flatMap((known) => {
    const inOrder = known.sort((one, other) => (one.date < other.date ? -1 : 1));
    return inOrder.flatMap((pair, index) => {
      const next = inOrder[index + 1]?.date;
      const first = pair.date < from ? from : pair.date;
      const last = next === undefined || next > to ? to : addDays(next, -1);
      return first > last ? [] : datesOf(first, last).map((date) => ({ ...pair, date }));
    });
  });
}

function datesOf(first: LocalDate, last: LocalDate): readonly LocalDate[] {
  return Array.from({ length: daysBetween(first, last) + 1 }, (_, index) => addDays(first, index));
}
