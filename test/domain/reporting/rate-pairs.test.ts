import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { dailyRates, type ExchangeRate, type RatePair } from "../../../domain/reporting/rate-pairs.ts";

/** The rates of a date, those of the base included. */
const set = (date: string, base: string, rates: { readonly [currency: string]: string }): readonly ExchangeRate[] =>
  Object.entries({ [base]: "1", ...rates }).map(([currency, units]) => ({ date, base, currency, units }));

const days = ["2026-02-28", "2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"];

/** The pairs of a currency, as `date appUnits/ownUnits`. */
const pairs = (currency: string, rates: readonly ExchangeRate[], dates = days, app = "CHF") =>
  (dailyRates(rates, app, dates).get(currency) ?? []).map(text);
const text = (pair: RatePair | null) => pair && `${pair.date} ${pair.appUnits}/${pair.ownUnits}`;

const rates = suite("the exchange rates of a range of dates");

rates("are those of each date, or of the latest earlier one", () => {
  const some = [
    ...set("2026-02-26", "USD", { CHF: "0.6", SEK: "8" }),
    ...set("2026-02-27", "USD", { CHF: "0.7", SEK: "9" }),
    ...set("2026-03-01", "USD", { CHF: "0.8", SEK: "10" }),
    ...set("2026-03-03", "USD", { CHF: "0.9", SEK: "11" }),
  ];
  const [before, first, third] = ["2026-02-27 0.7/9", "2026-03-01 0.8/10", "2026-03-03 0.9/11"];
  assert.equal(pairs("SEK", some), [before, first, first, third, third]);
});

rates("are the latest of each of the two currencies, whatever the dates on which they are set", () => {
  const whole = [...set("2026-03-01", "USD", { CHF: "0.8", SEK: "10" }), ...set("2026-03-03", "USD", { SEK: "20" })];
  const [first, third] = ["2026-03-01 0.8/10", "2026-03-01 0.8/20"];
  assert.equal(pairs("SEK", whole), [null, first, first, third, third]);
  const apart = [...set("2026-03-01", "USD", { CHF: "0.8" }), ...set("2026-03-03", "USD", { SEK: "20" })];
  assert.equal(pairs("SEK", apart), [null, null, null, third, third]);
});

rates("of the base are 1, whether it is the app's currency or the amount's", () => {
  const some = [...set("2026-03-01", "USD", { CHF: "0.8", SEK: "10" }), ...set("2026-03-03", "USD", { SEK: "20" })];
  const franc = "2026-03-01 0.8/1";
  assert.equal(pairs("USD", some), [null, franc, franc, franc, franc]);
  const [first, third] = ["2026-03-01 1/10", "2026-03-03 1/20"];
  assert.equal(pairs("SEK", some, days, "USD"), [null, first, first, third, third]);
});

rates("of two bases are never combined; of two pairs the one counts whose older rate is the latest", () => {
  const apart = [...set("2026-03-01", "USD", { CHF: "0.8" }), ...set("2026-03-02", "EUR", { SEK: "11" })];
  assert.equal(
    pairs("SEK", apart),
    days.map(() => null),
  );
  const both = [
    ...set("2026-02-28", "USD", { CHF: "0.8", SEK: "10" }),
    ...set("2026-03-01", "EUR", { CHF: "0.9", SEK: "11" }),
    ...set("2026-03-02", "USD", { SEK: "12" }),
    ...set("2026-03-03", "USD", { CHF: "0.7" }),
  ];
  const euro = "2026-03-01 0.9/11";
  assert.equal(pairs("SEK", both), ["2026-02-28 0.8/10", euro, euro, "2026-03-02 0.7/12", "2026-03-02 0.7/12"]);
});

rates("are unknown without a rate of the app's currency, after the range and without any", () => {
  assert.equal(
    pairs("SEK", set("2026-03-01", "USD", { SEK: "10" })),
    days.map(() => null),
  );
  assert.equal(
    pairs("SEK", set("2026-03-05", "USD", { CHF: "0.8", SEK: "10" })),
    days.map(() => null),
  );
  assert.equal([...dailyRates([], "CHF", days)], []);
});

const currencies = ["CHF", "SEK", "USD", "EUR"];
const someSets = fc
  .uniqueArray(
    fc.record({
      date: fc.constantFrom("2026-02-27", ...days, "2026-03-05"),
      base: fc.constantFrom("USD", "USD", "EUR", "SEK"),
      units: fc.uniqueArray(fc.tuple(fc.constantFrom(...currencies), fc.constantFrom("0.5", "2", "7")), {
        selector: ([currency]) => currency,
        maxLength: 3,
      }),
    }),
    { selector: ({ date }) => date, maxLength: 7 },
  )
  .map((sets) =>
    [...sets]
      .sort((one, other) => (one.date < other.date ? -1 : 1))
      .flatMap(({ date, base, units }) => set(date, base, { ...Object.fromEntries(units), [base]: "1" })),
  );

/** The rule of the contract, read plainly. */
function plainPair(some: readonly ExchangeRate[], app: string, own: string, date: string): string | null {
  const latestOf = (base: string, currency: string) =>
    some.filter((rate) => rate.base === base && rate.currency === currency && rate.date <= date).at(-1);
  const found = ["USD", "EUR", "SEK"].flatMap((base) => {
    const [one, other] = [latestOf(base, app), latestOf(base, own)];
    if (one === undefined || other === undefined) return [];
    return [`${[one.date, other.date].sort()[0]} ${one.units}/${other.units}`];
  });
  return found.sort().at(-1) ?? null;
}

rates("are what the rule gives, of any partial sets", () => {
  fc.assert(
    fc.property(someSets, fc.constantFrom(...currencies), (some, app) => {
      const daily = dailyRates(some, app, days);
      for (const own of currencies.filter((currency) => currency !== app)) {
        const expected = days.map((date) => plainPair(some, app, own, date));
        assert.equal((daily.get(own) ?? days.map(() => null)).map(text), expected);
      }
      assert.not(daily.has(app));
    }),
  );
});

rates.run();
