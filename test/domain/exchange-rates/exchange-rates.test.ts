import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isRejection, rejectField } from "../../../domain/decider.ts";
import type { ExchangeRatesSet } from "../../../domain/exchange-rates/events.ts";
import { exchangeRates, type SetExchangeRates } from "../../../domain/exchange-rates/exchange-rates.ts";
import { fault, type Path } from "../../../domain/fault.ts";
import { assertDecidesOnce, specification } from "../../support/specification.ts";

const march30: SetExchangeRates = {
  date: "2026-03-30",
  base: "USD",
  rates: { EUR: "0.92", KRW: "1380.5" },
  latest: "2026-04-01",
};
const { latest: _latest, ...data } = march30;
const wasSet: ExchangeRatesSet = { type: "ExchangeRatesSet", data };

const { given } = specification(exchangeRates);
const set = (changes: Partial<SetExchangeRates> = {}): SetExchangeRates => ({ ...march30, ...changes });
const decide = (changes: Partial<SetExchangeRates>) => exchangeRates.decide(set(changes), exchangeRates.initialState);

const notAllowed = (reason: string, path: Path) =>
  ({
    rejected: "EXCHANGE_RATE_NOT_ALLOWED",
    faults: [fault(`exchange_rate_not_allowed.${reason}`, path)],
  }) as const;

const setting = suite("setting the exchange rates of a date");

setting("replaces the rates of the date", () => {
  given().when(set()).then([wasSet]);
  const rates = { EUR: "0.93" };
  given(wasSet)
    .when(set({ rates }))
    .then([{ type: "ExchangeRatesSet", data: { ...data, rates } }]);
  given(wasSet)
    .when(set({ base: "GBP" }))
    .then([{ type: "ExchangeRatesSet", data: { ...data, base: "GBP" } }]);
});

setting("decides nothing for the same rates in another order", () => {
  given(wasSet)
    .when(set({ rates: { KRW: "1380.5", EUR: "0.92" } }))
    .then([]);
});

setting("takes the base among the rates as 1, and keeps it out", () => {
  given()
    .when(set({ rates: { ...march30.rates, USD: "1" } }))
    .then([wasSet]);
  given(wasSet)
    .when(set({ rates: { ...march30.rates, USD: "1.0" } }))
    .then([]);
  given()
    .when(set({ rates: { ...march30.rates, USD: "1.1" } }))
    .then(notAllowed("base_not_1", ["body", "rates", "USD"]));
  given()
    .when(set({ rates: { USD: "1" } }))
    .then(notAllowed("only_base", ["body", "rates"]));
});

setting("refuses dates before 2000, after the latest, and those that are none", () => {
  for (const date of ["2000-01-01", "2026-04-01"]) assert.not(isRejection(decide({ date })), date);
  for (const date of ["1999-12-31", "2026-04-02", "2026-02-29", "2026-3-1", "today", ""]) {
    given()
      .when(set({ date }))
      .then(
        rejectField("EXCHANGE_RATE_DATE_NOT_ALLOWED", ["path", "date"], {
          earliest: "2000-01-01",
          latest: "2026-04-01",
        }),
      );
  }
});

setting("refuses rates that are not above 0 and currencies that are none", () => {
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
