import { suite } from "uvu";
import * as assert from "uvu/assert";
import { dailyRates, type RatePair } from "../../../domain/reporting/currency-conversion.ts";

const pair = (currency: string, date: string, appUnits = "1"): RatePair => ({
  currency,
  date,
  appUnits,
  ownUnits: "1",
});

const rates = suite("the exchange rates of a range of dates");

rates("are those of each date, or of the latest earlier one", () => {
  const [before, first, third] = [pair("EUR", "2026-02-27"), pair("EUR", "2026-03-01"), pair("EUR", "2026-03-03")];
  const dates = ["2026-02-28", "2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"];
  const daily = dailyRates([before, first, third], dates);
  assert.equal([...daily], [["EUR", [before, first, first, third, third]]]);
});

rates("begin with the first of a currency, each for itself", () => {
  const [dollar, euro] = [pair("USD", "2025-12-31"), pair("EUR", "2026-03-02")];
  const daily = dailyRates([dollar, euro], ["2026-03-01", "2026-03-02"]);
  assert.equal(
    [...daily],
    [
      ["USD", [dollar, dollar]],
      ["EUR", [null, euro]],
    ],
  );
});

rates("of several earlier dates are the latest of them", () => {
  const latest = pair("EUR", "2026-02-28", "2");
  assert.equal([...dailyRates([pair("EUR", "2026-02-27"), latest], ["2026-03-01"])], [["EUR", [latest]]]);
});

rates("are unknown after the range, and empty without rates", () => {
  assert.equal([...dailyRates([pair("EUR", "2026-03-03")], ["2026-03-01", "2026-03-02"])], [["EUR", [null, null]]]);
  assert.equal([...dailyRates([], ["2026-03-01"])], []);
});

rates.run();
