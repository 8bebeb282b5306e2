import { exchangeRates } from "../../domain/exchange-rates/exchange-rates.ts";
import { exchangeRatesStream } from "../../domain/streams.ts";
import { decimalText } from "../../domain/values/decimal-text.ts";
import { currencies } from "../../domain/values/iso-4217.ts";
import { addDays, localDate } from "../../domain/values/local-time.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { ok, type Route, route } from "../../infra/http/routing/route.ts";
import { handleCommand } from "../handle-command.ts";
import { causeOf } from "../metadata.ts";
import { refuseWith } from "../problems.ts";

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
 * Setting the exchange rates of a date (contract/administration.md#exchange-rates, contract/money.md#conversion): from
 * 2000-01-01 to tomorrow by UTC, which is the last date that has begun anywhere. A rate is kept as the shortest decimal
 * text of its JSON number. The base may stand among the rates as 1, which says nothing.
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
        const stream = exchangeRatesStream(date);
        const set = await handleCommand(log, exchangeRates, stream, request.requestId, command, causeOf(request));
        if (set.outcome === "rejected") return refuseWith(set.rejection);
        const answer = { data: { date, base, rates: request.body.rates } };
        return set.position === null ? ok(answer) : ok(answer, { position: set.position, visibleIn: "facts" });
      },
    }),
  ];
}
