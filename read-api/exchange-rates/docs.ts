import { localDate, mapOf, number, object, position, text } from "../../infra/http/openapi/route-docs.ts";
import { listAnswer } from "../listing.ts";

export const listExchangeRatesDocs = {
  summary: "List exchange rates",
  description: "The rates in force, a date an item, the newest date first. The base itself is not among them.",
  contract: "contract/administration.md#exchange-rates",
  answers: {
    200: listAnswer("exchangeRates", object({ date: localDate, base: text, rates: mapOf(number), position }), {
      date: "2026-01-05",
      base: "USD",
      rates: { EUR: 0.92, KRW: 1380.5 },
      position: "12345",
    }),
  },
};
