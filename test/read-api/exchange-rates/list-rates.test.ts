import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ExchangeRatesSet } from "../../../domain/exchange-rates/events.ts";
import { facts as factsProjection } from "../../../projections/facts/projection.ts";
import { listExchangeRates } from "../../../projections/facts/queries.ts";
import { exchangeRateReadRoutes } from "../../../read-api/exchange-rates/routes.ts";
import { recordedLog } from "../../examples/recorded-log.ts";
import { openProjection } from "../../projections/one-projection.ts";
import { serveRoutes } from "../../support/served-routes.ts";
import { refusalOf } from "../../support/short-faults.ts";

const facts = await openProjection(factsProjection);
const application = await serveRoutes(
  exchangeRateReadRoutes({ listExchangeRates: (list) => listExchangeRates(facts, list) }),
);
const get = (query: string) => application.call("GET", `/admin/v1/exchange-rates${query}`, { token: "operator" });

const lists = suite("GET /admin/v1/exchange-rates");
lists.after(async () => {
  await application.close();
  await facts.close();
});

const set = (date: string, rates: ExchangeRatesSet["data"]["rates"], base = "USD"): ExchangeRatesSet => ({
  type: "ExchangeRatesSet",
  data: { date, base, rates },
});

lists("has the rates in force of each date, newest first, without the base", async () => {
  const events = [
    set("2026-03-01", { EUR: "0.92", KRW: "1380.5" }),
    set("2026-03-03", { EUR: "0.93" }),
    set("2026-03-02", { VND: "26000.000000000004", CLF: "0.0000001" }),
    set("2026-03-01", { USD: "1.1" }, "EUR"),
  ];
  await facts.rebuild(recordedLog(events));
  const [third, second, first] = [
    { date: "2026-03-03", base: "USD", rates: { EUR: 0.93 }, position: "200" },
    { date: "2026-03-02", base: "USD", rates: { CLF: 1e-7, VND: 26000.000000000004 }, position: "300" },
    { date: "2026-03-01", base: "EUR", rates: { USD: 1.1 }, position: "400" },
  ];
  for (const [query, totalCount, exchangeRates] of [
    ["", 3, [third, second, first]],
    ["?from=2026-03-02", 2, [third, second]],
    ["?to=2026-03-02", 2, [second, first]],
    ["?from=2026-03-02&to=2026-03-02", 1, [second]],
    ["?skip=1&size=1", 3, [second]],
    ["?skip=3", 3, []],
    ["?from=2027-01-01", 0, []],
  ] as const) {
    const { status, json } = await get(query);
    assert.equal([status, json], [200, { data: { totalCount, exchangeRates } }], query);
  }
});

for (const [query, field] of [
  ["?from=2026-03-02&to=2026-03-01", "from"],
  ["?from=2026-02-30", "from"],
  ["?from=0000-01-01", "from"],
  ["?to=yesterday", "to"],
  ["?size=0", "size"],
  ["?size=501", "size"],
] as const) {
  lists(`refuses ${query}`, async () => {
    assert.is(refusalOf(await get(query)), `400 VALIDATION_FAILED query.${field}`);
  });
}

lists.run();
