import { exchangeRates } from "../../domain/exchange-rates/exchange-rates.ts";
import { exchangeRatesStream } from "../../domain/streams.ts";
import { decimalText } from "../../domain/values/decimals.ts";
import { currencies } from "../../domain/values/iso-4217.ts";
import { addDays, localDate } from "../../domain/values/local-time.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { ok, type Route, route } from "../../infra/http/routing/route.ts";
import { handleHttpCommand } from "../handle-http-command.ts";

const currency = { type: "string", format: "currency" } as const;

const putBody = {
  type: "object",
  required: ["base", "rates"],
  additionalProperties: false,
  properties: {
    base: currency,
    rates: {
      type: "object",
      minProperties: 1,
      maxProperties: Object.keys(currencies).length,
      propertyNames: currency,
      additionalProperties: { type: "number", exclusiveMinimum: 0 },
    },
  },
} as const;

/**
 * Sets the exchange rates of a date (contract/administration.md#exchange-rates, contract/money.md#conversion): from
 * 2000-01-01 to tomorrow by UTC, the last date that has begun in any time zone. A rate is stored as the shortest decimal
 * text of its JSON number. The base may be among the rates as 1.
 */
export function exchangeRateRoutes({ log }: { readonly log: EventLog }): readonly Route[] {
  return [
    route({
      method: "put",
      path: "/admin/v1/exchange-rates/:date",
      operation: "operate",
      body: putBody,
      handle: async (request) => {
        const date = request.params.date ?? "";
        const { base } = request.body;
        const rates = Object.fromEntries(
          Object.entries(request.body.rates).map(([code, rate]) => [code, decimalText(rate)]),
        );
        const latest = addDays(localDate("Etc/UTC", Date.parse(request.receivedAt)), 1);
        const command = { date, base, rates, latest };
        return handleHttpCommand(log, exchangeRates, exchangeRatesStream(date), command, request, ({ position }) =>
          ok({ data: { date, base, rates: request.body.rates } }, { position, visibleIn: "facts" }),
        );
      },
    }),
  ];
}
