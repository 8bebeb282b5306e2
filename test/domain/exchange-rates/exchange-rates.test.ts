import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isRejection, rejectField } from "../../../domain/decider.ts";
import type { ExchangeRatesSet } from "../../../domain/exchange-rates/events.ts";
import { exchangeRates, type SetExchangeRates } from "../../../domain/exchange-rates/exchange-rates.ts";
import { fault, type Path } from "../../../domain/fault.ts";
import { addRules, assertDecidesOnce } from "../../support/decider-specification.ts";

const march30: SetExchangeRates = {
  date: "2026-03-30",
  base: "USD",
  rates: { EUR: "0.92", KRW: "1380.5" },
  latest: "2026-04-01",
};
const { latest: _latest, ...data } = march30;
const wasSet: ExchangeRatesSet = { type: "ExchangeRatesSet", data };

const set = (changes: Partial<SetExchangeRates> = {}): SetExchangeRates => ({ ...march30, ...changes });
const decide = (changes: Partial<SetExchangeRates>) => exchangeRates.decide(set(changes), exchangeRates.initialState);

const notAllowed = (reason: string, path: Path) =>
  ({
    rejected: "EXCHANGE_RATE_NOT_ALLOWED",
    faults: [fault(`exchange_rate_not_allowed.${reason}`, path)],
  }) as const;

const setting = suite("setting the exchange rates of a date");
const changedTo = (changes: object): ExchangeRatesSet => ({ type: "ExchangeRatesSet", data: { ...data, ...changes } });
const oneOther = { ...march30.rates, KRW: "1381" };
const more = { ...march30.rates, JPY: "150" };
const others = { EUR: "0.92", JPY: "1380.5" };
const withUsd = (USD: string) => set({ rates: { ...march30.rates, USD } });

addRules(setting, exchangeRates, [
  ["stores them", [], set(), [wasSet]],
  ["replaces the rates of the date", [wasSet], set({ rates: { EUR: "1" } }), [changedTo({ rates: { EUR: "1" } })]],
  ["replaces one rate", [wasSet], set({ rates: oneOther }), [changedTo({ rates: oneOther })]],
  ["replaces them by as many other currencies", [wasSet], set({ rates: others }), [changedTo({ rates: others })]],
  ["adds a currency", [wasSet], set({ rates: more }), [changedTo({ rates: more })]],
  ["replaces the base", [wasSet], set({ base: "GBP" }), [changedTo({ base: "GBP" })]],
  ["ignores the order of rates", [wasSet], set({ rates: { KRW: "1380.5", EUR: "0.92" } }), []],
  ["leaves the base out of the rates", [], withUsd("1"), [wasSet]],
  ["ignores the base among the rates", [wasSet], withUsd("1.0"), []],
  ["rejects a base that is not 1", [], withUsd("1.1"), notAllowed("base_not_1", ["body", "rates", "USD"])],
  ["rejects the base alone", [], set({ rates: { USD: "1" } }), notAllowed("only_base", ["body", "rates"])],
]);

setting("rejects dates before 2000, after the latest, and invalid ones", () => {
  for (const date of ["2000-01-01", "2026-04-01"]) assert.not(isRejection(decide({ date })), date);
  for (const date of ["1999-12-31", "2026-04-02", "2026-02-29", "2026-3-1", "today", ""]) {
    const range = { earliest: "2000-01-01", latest: "2026-04-01" };
    assert.equal(decide({ date }), rejectField("EXCHANGE_RATE_DATE_NOT_ALLOWED", ["path", "date"], range), date);
  }
});

setting("names every faulty currency and rate at once", () => {
  assert.equal(decide({ base: "XXB", rates: { EUR: "0", ABC: "1", KRW: "1380.5" } }), {
    rejected: "EXCHANGE_RATE_NOT_ALLOWED",
    faults: [
      fault("exchange_rate_not_allowed.currency", ["body", "base"]),
      fault("exchange_rate_not_allowed.not_above_0", ["body", "rates", "EUR"]),
      fault("exchange_rate_not_allowed.currency", ["body", "rates", "ABC"]),
    ],
  });
});

setting("rejects rates that are not above 0 and unknown currencies", () => {
  for (const rate of ["0", "0.00", "-1", "1e3", "", "Infinity", ".5"]) {
    assert.equal(decide({ rates: { EUR: rate } }), notAllowed("not_above_0", ["body", "rates", "EUR"]), rate);
  }
  for (const code of ["eur", "XXX", "toString"]) {
    assert.equal(decide({ rates: { [code]: "1" } }), notAllowed("currency", ["body", "rates", code]), code);
  }
  assert.equal(decide({ base: "usd" }), notAllowed("currency", ["body", "base"]));
});

setting("decides twice as once", () => {
  const command = fc.record({
    base: fc.constantFrom("USD", "EUR"),
    rates: fc.dictionary(fc.constantFrom("USD", "EUR", "KRW"), fc.constantFrom("1", "0.92", "1380.5")),
  });
  assertDecidesOnce(exchangeRates, command.map(set));
});

setting.run();
