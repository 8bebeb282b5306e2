import { data, localDate, mapOf, number, object, text } from "../../infra/http/openapi/route-docs.ts";
import { rejectionsOf } from "../rejection-statuses.ts";

const ratesOfDate = { base: text, rates: mapOf(number) };
const rates = { base: "USD", rates: { KRW: 1380.5, EUR: 0.92 } };
const problems = rejectionsOf("EXCHANGE_RATE_NOT_ALLOWED", "EXCHANGE_RATE_DATE_NOT_ALLOWED");

export const putRatesDocs = {
  summary: "Set the exchange rates of a date",
  description:
    "Each rate is the number of units of a currency for one unit of the base currency. The date may be from " +
    "2000-01-01 to tomorrow, in UTC.",
  contract: "contract/administration.md#exchange-rates",
  request: rates,
  responses: {
    200: { schema: data({ date: localDate, ...ratesOfDate }), example: { data: { date: "2026-01-05", ...rates } } },
  },
  problems,
};

export const putDatesDocs = {
  summary: "Set the exchange rates of many dates",
  description: "Sets the rates of up to 400 dates. All dates are validated before any of them is set.",
  contract: "contract/administration.md#exchange-rates",
  request: { dates: { "2026-01-05": rates } },
  responses: {
    200: {
      schema: data({ dates: mapOf(object(ratesOfDate)) }),
      example: { data: { dates: { "2026-01-05": rates } } },
    },
  },
  problems,
};
