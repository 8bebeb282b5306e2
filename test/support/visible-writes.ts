import * as assert from "uvu/assert";
import type { ReadModelGroup } from "../../infra/http/routing/route.ts";
import { everyRoute, nameOf } from "./every-route.ts";
import type { Answer } from "./raw-client.ts";

/**
 * The read models in which a write is visible when its response is sent, by route; all other responses do not wait
 * (contract/http.md#log-positions).
 */
const visibleIn: { readonly [route: string]: ReadModelGroup } = {
  "POST /admin/v1/apps": "control",
  "PATCH /admin/v1/apps/:app_name": "control",
  "POST /admin/v1/apps/:app_name/tokens": "control",
  "DELETE /admin/v1/apps/:app_name/tokens/:token_id": "control",
  "PUT /admin/v1/apps/:app_name/attribution-rules": "facts",
  "PUT /admin/v1/apps/:app_name/conversion-values": "control",
  "PUT /admin/v1/apps/:app_name/conversion-values/partners/:channel": "control",
  "PUT /admin/v1/apps/:app_name/uploaded-metrics/:event_category": "facts",
  "POST /admin/v1/apps/:app_name/webhooks": "control",
  "PATCH /admin/v1/apps/:app_name/webhooks/:webhook_id": "control",
  "DELETE /admin/v1/apps/:app_name/webhooks/:webhook_id": "control",
  "PUT /admin/v1/channels/:name": "control",
  "PUT /admin/v1/exchange-rates": "facts",
  "PUT /admin/v1/exchange-rates/:date": "facts",
  "POST /v1/tracking-links": "control",
  "POST /v1/tracking-links/bulk": "control",
  "PATCH /v1/tracking-links/:id": "control",
  "PATCH /v1/tracking-links/:id/og-tag": "control",
  "PATCH /v1/tracking-links/:id/routing": "control",
  "POST /v1/tracking-links/:id/archive": "control",
  "POST /v1/tracking-links/:id/restore": "control",
  "POST /reports/api/v7/apps/:app_name/actuals/query": "control",
  "DELETE /reports/api/v7/apps/:app_name/actuals/query/:task_id": "control",
  "POST /reports/api/v4/apps/:app_name/active-users/query": "control",
  "DELETE /reports/api/v4/apps/:app_name/active-users/query/:task_id": "control",
  "POST /reports/api/v5/apps/:app_name/retention/query": "control",
  "DELETE /reports/api/v5/apps/:app_name/retention/query/:task_id": "control",
  "POST /reports/api/v3/apps/:app_name/revenue/query": "control",
  "DELETE /reports/api/v3/apps/:app_name/revenue/query/:task_id": "control",
  "POST /log-export/api/v3/apps/:app_name/:type/request": "control",
  "POST /self-serve-data/v1/ad-spend/requests": "control",
  "POST /custom-data-upload/v1.0/cost/requests": "control",
  "POST /self-serve-data/v1/metric/requests": "control",
};

/** Literal segments before parameters: `tracking-links/bulk` is not the link `bulk`. */
const routes = everyRoute
  .map((route) => ({
    name: nameOf(route),
    method: route.method.toUpperCase(),
    pattern: new RegExp(`^${route.path.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+")}$`),
  }))
  .sort((one, other) => one.name.split(":").length - other.name.split(":").length);

/**
 * Checks that the response to a write was sent when the write was visible where it must be.
 * @param waits for read models, since the call began
 * @throws {Error} when it waited for other ones, or for none
 */
export function checkVisible(
  method: string,
  path: string,
  { status, headers }: Answer,
  waits: readonly (readonly [ReadModelGroup, bigint])[],
): void {
  const position = headers["x-log-position"];
  if (method === "GET" || status >= 300 || position === undefined) return;
  const [pathname = ""] = path.split("?", 1);
  const name = routes.find((one) => one.method === method && one.pattern.test(pathname))?.name;
  if (name === undefined) return;
  const groups = new Set(waits.filter(([, waitedFor]) => waitedFor.toString() === position).map(([group]) => group));
  const expected = visibleIn[name];
  assert.equal([...groups], expected === undefined ? [] : [expected], `${name} waits for its own read models`);
}
