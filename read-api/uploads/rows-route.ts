import { fault } from "../../domain/fault.ts";
import { problems, validationFailed } from "../../infra/http/response/problem.ts";
import { type Route, refuse, route } from "../../infra/http/routing/route.ts";
import { type RowsCsvOptions, rowsReply } from "./rows-csv.ts";
import { rowsQuery } from "./schemas.ts";

const datesReversed = validationFailed([fault("out_of_range.after_to", ["query", "from"])]);

/**
 * Every uploaded row of an app that is in force at `asOf` (default: now) and dated `from` to `to`, both inclusive, as
 * CSV: what reports of that position read. `ad_spend` has legacy cost with it, as both share one table
 * (contract/uploads.md#replacement).
 */
export function uploadedRowsRoute(options: RowsCsvOptions): Route {
  return route({
    method: "get",
    path: "/admin/v1/apps/:app_name/uploads/rows",
    operation: "administer_app",
    query: rowsQuery,
    reads: "facts",
    handle: async ({ app, query }) => {
      if (app === null) return refuse(problems.appNotFound);
      const { kind, from = null, to = null, asOf = null } = query;
      if (from !== null && to !== null && from > to) return refuse(datesReversed);
      // Legacy cost has every column of ad spend, and one more.
      const columns = kind === "ad_spend" ? "legacy_cost" : kind;
      return rowsReply(options, { appId: app.appId, kind: columns, requestId: null, from, to, asOf }, kind);
    },
  });
}
