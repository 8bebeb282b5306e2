import { localDate, mapOf, number, object, position, text } from "../../infra/http/openapi/route-docs.ts";
import { listResponse } from "../listing.ts";

export const listExchangeRatesDocs = {
  summary: "List exchange rates",
  description:
    "Returns the current rates, one item for each date, newest date first. The base currency itself is omitted.",
  contract: "contract/administration.md#exchange-rates",
  responses: {
    200: listResponse("exchangeRates", object({ date: localDate, base: text, rates: mapOf(number), position }), {
      date: "2026-01-05",
      base: "USD",
      rates: { EUR: 0.92, KRW: 1380.5 },
      position: "12345",
    }),
  },
};
