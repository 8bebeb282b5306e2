import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type RatePair, ratesByDay } from "../../../domain/reporting/conversion.ts";

const pair = (currency: string, date: string, appUnits: string): RatePair => {
  return { currency, date, appUnits, ownUnits: "1" };
};
const shown = (pairs: readonly RatePair[]) => pairs.map(({ currency, date, appUnits }) => [currency, date, appUnits]);

const rates = suite("the exchange rates of a range of dates");

rates("are those of each date, or of the latest earlier one", () => {
  const pairs = [pair("EUR", "2026-02-27", "1"), pair("EUR", "2026-03-01", "2"), pair("EUR", "2026-03-03", "3")];
  assert.equal(shown(ratesByDay(pairs, "2026-02-28", "2026-03-04")), [
    ["EUR", "2026-02-28", "1"],
    ["EUR", "2026-03-01", "2"],
    ["EUR", "2026-03-02", "2"],
    ["EUR", "2026-03-03", "3"],
    ["EUR", "2026-03-04", "3"],
  ]);
});

rates("begin with the first of a currency, each for itself", () => {
  const pairs = [pair("USD", "2025-12-31", "1"), pair("EUR", "2026-03-02", "2")];
  assert.equal(shown(ratesByDay(pairs, "2026-03-01", "2026-03-02")), [
    ["USD", "2026-03-01", "1"],
    ["USD", "2026-03-02", "1"],
    ["EUR", "2026-03-02", "2"],
  ]);
});

rates("are none after the range, and none of nothing", () => {
  assert.equal(ratesByDay([pair("EUR", "2026-03-03", "1")], "2026-03-01", "2026-03-02"), []);
  assert.equal(ratesByDay([], "2026-03-01", "2026-03-02"), []);
});

rates("do not depend on the order that they are told in", () => {
  const pairs = [pair("EUR", "2026-03-02", "2"), pair("EUR", "2026-03-01", "1")];
  assert.equal(shown(ratesByDay(pairs, "2026-03-01", "2026-03-02")), [
    ["EUR", "2026-03-01", "1"],
    ["EUR", "2026-03-02", "2"],
  ]);
});

rates.run();
