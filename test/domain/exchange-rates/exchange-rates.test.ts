import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fold, isRejection, rejectField } from "../../../domain/decider.ts";
import type { ExchangeRatesSet } from "../../../domain/exchange-rates/events.ts";
import { exchangeRates, type SetExchangeRates } from "../../../domain/exchange-rates/exchange-rates.ts";
import { fault, type Path } from "../../../domain/fault.ts";

const asked: SetExchangeRates = {
  date: "2026-03-30",
  base: "USD",
  rates: { EUR: "0.92", KRW: "1380.5" },
  latest: "2026-04-01",
};
const { latest: _latest, ...data } = asked;
const wasSet: ExchangeRatesSet = { type: "ExchangeRatesSet", data };

const decide = (given: readonly ExchangeRatesSet[], command: Partial<SetExchangeRates> = {}) =>
  exchangeRates.decide({ ...asked, ...command }, fold(exchangeRates, given));

const notAllowed = (reason: string, path: Path) => ({
  rejected: "EXCHANGE_RATE_NOT_ALLOWED",
  faults: [fault(`exchange_rate_not_allowed.${reason}`, path)],
});

const setting = suite("setting the exchange rates of a date");

setting("puts them in place of any that the date had", () => {
  assert.equal(decide([]), [wasSet]);
  const rates = { EUR: "0.93" };
  assert.equal(decide([wasSet], { rates }), [{ type: "ExchangeRatesSet", data: { ...data, rates } }]);
  assert.equal(decide([wasSet], { base: "GBP" }), [{ type: "ExchangeRatesSet", data: { ...data, base: "GBP" } }]);
});

setting("says nothing of what is so already, in whatever order", () => {
  assert.equal(decide([wasSet], { rates: { KRW: "1380.5", EUR: "0.92" } }), []);
});

setting("takes the base among the rates as 1, and keeps it out", () => {
  assert.equal(decide([], { rates: { ...asked.rates, USD: "1" } }), [wasSet]);
  assert.equal(decide([wasSet], { rates: { ...asked.rates, USD: "1.0" } }), []);
  assert.equal(
    decide([], { rates: { ...asked.rates, USD: "1.1" } }),
    notAllowed("base_not_1", ["body", "rates", "USD"]),
  );
  assert.equal(decide([], { rates: { USD: "1" } }), notAllowed("only_base", ["body", "rates"]));
});

setting("refuses dates before 2000, after the latest, and those that are none", () => {
  for (const date of ["2000-01-01", "2026-04-01"]) assert.not(isRejection(decide([], { date })), date);
  for (const date of ["1999-12-31", "2026-04-02", "2026-02-29", "2026-3-1", "today", ""]) {
    assert.equal(
      decide([], { date }),
      rejectField("EXCHANGE_RATE_DATE_NOT_ALLOWED", ["path", "date"], { earliest: "2000-01-01", latest: "2026-04-01" }),
      date,
    );
  }
});

setting("refuses rates that are not above 0 and currencies that are none", () => {
  for (const rate of ["0", "0.00", "-1", "1e3", "", "Infinity", ".5"]) {
    assert.equal(decide([], { rates: { EUR: rate } }), notAllowed("not_above_0", ["body", "rates", "EUR"]), rate);
  }
  for (const code of ["eur", "XXX", "toString"]) {
    assert.equal(decide([], { rates: { [code]: "1" } }), notAllowed("currency", ["body", "rates", code]), code);
  }
  assert.equal(decide([], { base: "usd" }), notAllowed("currency", ["body", "base"]));
});

setting("decides twice as once", () => {
  const command = fc.record({
    base: fc.constantFrom("USD", "EUR"),
    rates: fc.dictionary(fc.constantFrom("USD", "EUR", "KRW"), fc.constantFrom("1", "0.92", "1380.5")),
  });
  fc.assert(
    fc.property(command, fc.array(command), (last, before) => {
      let given: readonly ExchangeRatesSet[] = [];
      for (const one of [...before, last]) {
        const decided = decide(given, one);
        if (!isRejection(decided)) given = [...given, ...decided];
      }
      const again = decide(given, last);
      if (!isRejection(again)) assert.equal(again, []);
    }),
  );
});

setting.run();
