import { isRejection, type Rejection } from "../../domain/decider.ts";
import { type LogPosition, laterPosition } from "../../domain/event.ts";
import {
  type ExchangeRatesRejection,
  exchangeRates,
  latestRateDate,
  rateRange,
  type SetExchangeRates,
} from "../../domain/exchange-rates/exchange-rates.ts";
import { type Fault, faultsAt } from "../../domain/fault.ts";
import { exchangeRatesStream } from "../../domain/streams.ts";
import { decimalText } from "../../domain/values/decimals.ts";
import { currencies } from "../../domain/values/iso-4217.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { validationFailed } from "../../infra/http/response/problem.ts";
import { ok, type Route, refuse, route } from "../../infra/http/routing/route.ts";
import { forEachConcurrently } from "../../infra/process/concurrency-limit.ts";
import { derivedUuid } from "../derived-ids.ts";
import { causeOf } from "../event-metadata.ts";
import { handleCommand } from "../handle-command.ts";
import { handleHttpCommand } from "../handle-http-command.ts";
import { bodyFaults, refuseWith } from "../rejection-statuses.ts";
import { putDatesDocs, putRatesDocs } from "./docs.ts";

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
      additionalProperties: { type: "number", minimum: rateRange.min, maximum: rateRange.max },
    },
  },
} as const;

const maxDates = 400;
const concurrentAppends = 16;

const putDatesBody = {
  type: "object",
  required: ["dates"],
  additionalProperties: false,
  properties: {
    dates: { type: "object", minProperties: 1, maxProperties: maxDates, additionalProperties: putBody },
  },
} as const;

/**
 * Sets the exchange rates of a date or of many (contract/administration.md#exchange-rates, contract/money.md#conversion): from
 * 2000-01-01 to tomorrow by UTC, the last date that has begun in any time zone. A rate is stored as the shortest decimal
 * text of its JSON number. The base may be among the rates as 1.
 */
export function exchangeRateRoutes({ log }: { readonly log: EventLog }): readonly Route[] {
  return [
    route({
      method: "put",
      path: "/admin/v1/exchange-rates/:date",
      docs: putRatesDocs,
      operation: "operate",
      body: putBody,
      rules: (body, { receivedAt, params: { date = "" } }) =>
        bodyFaults(exchangeRates.decide(commandOf(date, body, receivedAt), exchangeRates.initialState)),
      handle: async (request) => {
        const date = request.params.date ?? "";
        const { base } = request.body;
        const command = commandOf(date, request.body, request.receivedAt);
        return handleHttpCommand(log, exchangeRates, exchangeRatesStream(date), command, request, ({ position }) =>
          ok({ data: { date, base, rates: request.body.rates } }, { position, visibleIn: "facts" }),
        );
      },
    }),
    route({
      method: "put",
      path: "/admin/v1/exchange-rates",
      docs: putDatesDocs,
      operation: "operate",
      body: putDatesBody,
      rules: ({ dates }, { receivedAt }) => commandsOf(dates, receivedAt).flatMap(faultsOf),
      handle: async (request) => {
        const { dates } = request.body;
        const commands = commandsOf(dates, request.receivedAt);
        const faults = commands.flatMap(faultsOf);
        if (faults.length > 0) return refuse(validationFailed(faultsAt(["body"], faults)));
        let position: LogPosition | null = null;
        let rejection: Rejection<ExchangeRatesRejection> | null = null;
        await forEachConcurrently(concurrentAppends, commands, async (command) => {
          const stream = exchangeRatesStream(command.date);
          const commandId = derivedUuid(request.requestId, "exchangeRates", command.date);
          const handled = await handleCommand(log, exchangeRates, stream, commandId, command, causeOf(request));
          if (handled.outcome === "rejected") rejection = handled.rejection;
          else position = laterPosition(position, handled.position);
        });
        if (rejection !== null) return refuseWith(rejection);
        return ok({ data: { dates } }, { position, visibleIn: "facts" });
      },
    }),
  ];
}

interface SentRates {
  readonly base: string;
  readonly rates: { readonly [currency: string]: number };
}

function commandOf(date: string, { base, rates }: SentRates, receivedAt: string): SetExchangeRates {
  const latest = latestRateDate(Date.parse(receivedAt));
  const texts = Object.fromEntries(Object.entries(rates).map(([code, rate]) => [code, decimalText(rate)]));
  return { date, base, rates: texts, latest };
}

function commandsOf(dates: { readonly [date: string]: SentRates }, receivedAt: string): readonly SetExchangeRates[] {
  return Object.entries(dates).map(([date, rates]) => commandOf(date, rates, receivedAt));
}

/** The checks do not depend on the rates in force, so all dates are checked before the first one is set. */
function faultsOf(command: SetExchangeRates): readonly Fault[] {
  const decision = exchangeRates.decide(command, exchangeRates.initialState);
  if (!isRejection(decision)) return [];
  return (decision.faults ?? []).map(({ path: [part, ...rest], ...found }) => ({
    ...found,
    path: ["dates", command.date, ...(part === "body" ? rest : [])],
  }));
}
