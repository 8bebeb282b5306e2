import { fault } from "../../domain/fault.ts";
import { validationFailed } from "../../infra/http/response/problem.ts";
import { type Route, refuse, route } from "../../infra/http/routing/route.ts";
import type { RatesList, RatesRow } from "../../projections/facts/queries.ts";
import type { ListPage } from "../../projections/list-page.ts";
import { dateParameters, listParameters, listReply, pageOf } from "../listing.ts";
import { listExchangeRatesDocs } from "./docs.ts";

export interface ExchangeRateQueries {
  listExchangeRates(list: RatesList): Promise<ListPage<RatesRow>>;
}

/** Lists exchange rates by their dates (contract/administration.md#exchange-rates). */
export function exchangeRateReadRoutes({ listExchangeRates }: ExchangeRateQueries): readonly Route[] {
  return [
    route({
      method: "get",
      path: "/admin/v1/exchange-rates",
      docs: listExchangeRatesDocs,
      operation: "operate",
      query: { type: "object", properties: { ...dateParameters, ...listParameters } },
      reads: "facts",
      handle: async ({ query }) => {
        const { from = null, to = null } = query;
        if (from !== null && to !== null && from > to) {
          return refuse(validationFailed([fault("out_of_range.after_to", ["query", "from"])]));
        }
        return listReply("exchangeRates", await listExchangeRates({ from, to, ...pageOf(query) }), (row) => ({
          ...row,
          position: row.position.toString(),
        }));
      },
    }),
  ];
}
