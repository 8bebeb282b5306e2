import { suite } from "uvu";
import * as assert from "uvu/assert";
import { commandRoutes } from "../../../../commands/command-api.ts";
import { type Operation, permissions } from "../../../../domain/tokens/permissions.ts";
import { reports } from "../../../../infra/composition/report-modules.ts";
import type { Route } from "../../../../infra/http/routing/route.ts";
import { readRoutes } from "../../../../read-api/read-api.ts";
import { type Application, principals, startApplication } from "../../../support/application.ts";

/** Every route under the operation that it needs (contract/tokens.md#permissions). */
const routesOf: { readonly [operation in Operation]: readonly string[] } = {
  operate: [
    "POST /admin/v1/apps",
    "PUT /admin/v1/channels/:name",
    "PUT /admin/v1/channels/:name/certification",
    "DELETE /admin/v1/channels/:name/certification",
    "PUT /admin/v1/exchange-rates/:date",
    "POST /admin/v1/model-bundles",
    "DELETE /admin/v1/model-bundles/:bundle_id",
    "PUT /admin/v1/model-bundle",
    "GET /admin/v1/apps",
    "GET /admin/v1/channels",
    "GET /admin/v1/model-bundles",
    "GET /admin/v1/model-bundles/:bundle_id",
  ],
  administer_app: [
    "POST /admin/v1/apps/:app_name/tokens",
    "DELETE /admin/v1/apps/:app_name/tokens/:token_id",
    "PUT /admin/v1/apps/:app_name/attribution-rules",
    "PUT /admin/v1/apps/:app_name/context",
    "PUT /admin/v1/apps/:app_name/conversion-values",
    "PUT /admin/v1/apps/:app_name/conversion-values/partners/:channel",
    "PUT /admin/v1/apps/:app_name/model-bundle",
    "GET /admin/v1/apps/:app_name",
    "GET /admin/v1/apps/:app_name/tokens",
    "GET /admin/v1/apps/:app_name/attributions/:event_id",
    "GET /admin/v1/apps/:app_name/attribution-rules",
    "POST /admin/v1/apps/:app_name/report-tasks/:task_id/explain",
    "GET /admin/v1/apps/:app_name/uploads/:requestId/file",
    "GET /admin/v1/apps/:app_name/uploads/rows",
    "GET /admin/v1/apps/:app_name/uploads/:requestId/history",
    "GET /admin/v1/apps/:app_name/conversion-values",
    "GET /admin/v1/apps/:app_name/conversion-values/decode",
    "GET /admin/v1/apps/:app_name/context-calls/:request_id",
    "POST /admin/v1/apps/:app_name/context-calls/:request_id/replay",
  ],
  archive_metric: ["PUT /admin/v1/apps/:app_name/uploaded-metrics/:event_category"],
  create_tracking_link: ["POST /v1/tracking-links", "POST /v1/tracking-links/bulk"],
  manage_tracking_links: [
    "PATCH /v1/tracking-links/:id/og-tag",
    "PATCH /v1/tracking-links/:id/routing",
    "GET /v1/tracking-links",
    "GET /v1/tracking-links/:id",
    "GET /v1/tracking-links/:id/qr",
  ],
  ingest_app_events: ["POST /events/v1/apps/:app_name/app-events"],
  ingest_touchpoints: ["POST /events/v1/apps/:app_name/touchpoints"],
  report_actuals: [
    "POST /reports/api/v7/apps/:app_name/actuals/query",
    "DELETE /reports/api/v7/apps/:app_name/actuals/query/:task_id",
    "GET /reports/api/v7/apps/:app_name/actuals/query/:task_id",
  ],
  report_active_users: [
    "POST /reports/api/v4/apps/:app_name/active-users/query",
    "DELETE /reports/api/v4/apps/:app_name/active-users/query/:task_id",
    "GET /reports/api/v4/apps/:app_name/active-users/query/:task_id",
  ],
  report_cohorts: [
    "POST /reports/api/v5/apps/:app_name/retention/query",
    "DELETE /reports/api/v5/apps/:app_name/retention/query/:task_id",
    "POST /reports/api/v3/apps/:app_name/revenue/query",
    "DELETE /reports/api/v3/apps/:app_name/revenue/query/:task_id",
    "GET /reports/api/v5/apps/:app_name/retention/query/:task_id",
    "GET /reports/api/v3/apps/:app_name/revenue/query/:task_id",
  ],
  raw_export: [
    "POST /log-export/api/v3/apps/:app_name/:type/request",
    "GET /log-export/api/v3/apps/:app_name/request/:report_id",
  ],
  upload_data: [
    "POST /self-serve-data/v1/ad-spend/requests",
    "POST /custom-data-upload/v1.0/cost/requests",
    "POST /self-serve-data/v1/metric/requests",
    "GET /self-serve-data/v1/ad-spend/requests/:request_id",
    "GET /custom-data-upload/v1.0/cost/requests/:request_id",
    "GET /self-serve-data/v1/metric/requests/:request_id",
  ],
  look_up_device: ["GET /events/v1/apps/:app_name/devices/:deviceId"],
  report_metadata: [
    "GET /dataspec/v2/apps/:app_name/actual-report/fields",
    "GET /dataspec/v2/apps/:app_name/actual-report/metrics",
  ],
  read_conversion_values: ["GET /skadnetwork/v1/conversion-value-schema", "GET /skadnetwork/conversion-bit-config/v4"],
  predict_context: ["POST /entry/inference/v1/context"],
};

/** Stands for what handlers use: permissions are checked before. */
const unused: never = new Proxy(() => undefined, { get: () => unused, apply: () => unused }) as never;
/** Dependencies of which only some are known. */
const dependencies = (known: Readonly<Record<string, unknown>>): never =>
  new Proxy(known, { get: (_, name) => (Object.hasOwn(known, name) ? known[name as string] : unused) }) as never;

const routes: readonly Route[] = [
  ...commandRoutes(dependencies({ reports, rateLimiter: null })),
  ...readRoutes(dependencies({ reports, baseUrl: "https://api.example", linkBaseUrl: "https://l.example" })),
];
const nameOf = ({ method, path }: Route): string => `${method.toUpperCase()} ${path}`;
/** Callers of these are 401, whoever they are, when they may not call. */
const withoutForbidden: readonly Operation[] = ["predict_context", "read_conversion_values"];

let application: Application;
const table = suite("the permissions of every route");
table.before(async () => {
  application = await startApplication({ routes });
});
table.after(() => application.close());

table("are those of its operation", () => {
  const found = Object.keys(permissions).map((operation) => [
    operation,
    routes.filter((route) => route.operation === operation).map(nameOf),
  ]);
  assert.equal(Object.fromEntries(found), routesOf);
});

for (const route of routes) {
  table(`of ${nameOf(route)} refuse whoever lacks the operation, and callers without a token`, async () => {
    const path = route.path.replace(":app_name", "shop").replaceAll(/:\w+/g, "1");
    const call = async (headers: Readonly<Record<string, string>>): Promise<number> => {
      const body = route.method === "get" ? {} : { body: "{" };
      const sent = { headers: { "Content-Type": "application/json", ...headers }, ...body };
      return (await application.call(route.method.toUpperCase(), path, sent)).status;
    };
    const allowed: readonly string[] = permissions[route.operation];
    const refusal = withoutForbidden.includes(route.operation) ? 401 : 403;
    for (const name of Object.keys(principals)) {
      const caller = name === "other_owner" ? "owner" : name === "in_house" ? "in_house_marketer" : name;
      if (allowed.includes(caller)) continue;
      assert.is(await call({ Authorization: `Bearer ${name}` }), refusal, `as ${name}`);
    }
    assert.is(await call({}), 401, "without a token");
    const isUnknownApp = route.operation === "create_tracking_link";
    assert.is(await call({ Authorization: "Bearer unknown" }), isUnknownApp ? 404 : 401, "with an unknown token");
  });
}

table.run();
