import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { maxBodyBytes as maxClickBytes } from "../../../../commands/link-serving/server-click-body.ts";
import { type Operation, permissions } from "../../../../domain/tokens/permissions.ts";
import type { RateLimiter, RouteLimit } from "../../../../infra/http/routing/rate-limiter.ts";
import type { Route } from "../../../../infra/http/routing/route.ts";
import { principals } from "../../../support/application.ts";
import { nameOf, everyRoute as routes } from "../../../support/every-route.ts";
import { root } from "../../../support/paths.ts";
import type { Answer, Call } from "../../../support/raw-client.ts";
import { outcomeOf, serveRoutes } from "../../../support/served-routes.ts";

/** Rules that hold for every route, checked on all of them; how they work is tested beside this file. */

/** Every route under the operation that it needs (contract/tokens.md#permissions). */
const routesOf: { readonly [operation in Operation]: readonly string[] } = {
  operate: [
    "POST /admin/v1/apps",
    "PUT /admin/v1/channels/:name",
    "PUT /admin/v1/channels/:name/certification",
    "DELETE /admin/v1/channels/:name/certification",
    "PUT /admin/v1/exchange-rates/:date",
    "PUT /admin/v1/exchange-rates",
    "POST /admin/v1/model-bundles",
    "DELETE /admin/v1/model-bundles/:bundle_id",
    "PUT /admin/v1/model-bundle",
    "GET /admin/v1/apps",
    "GET /admin/v1/channels",
    "GET /admin/v1/exchange-rates",
    "GET /admin/v1/model-bundles",
    "GET /admin/v1/model-bundles/:bundle_id",
  ],
  administer_app: [
    "PATCH /admin/v1/apps/:app_name",
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
    "GET /admin/v1/apps/:app_name/attributions",
    "GET /admin/v1/apps/:app_name/attribution-rules",
    "GET /admin/v1/apps/:app_name/audit",
    "GET /admin/v1/apps/:app_name/exports",
    "GET /admin/v1/apps/:app_name/report-tasks",
    "POST /admin/v1/apps/:app_name/report-tasks/:task_id/explain",
    "GET /admin/v1/apps/:app_name/uploads/:requestId/file",
    "GET /admin/v1/apps/:app_name/uploads/rows",
    "GET /admin/v1/apps/:app_name/uploads/:requestId/history",
    "GET /admin/v1/apps/:app_name/conversion-values",
    "GET /admin/v1/apps/:app_name/conversion-values/decode",
    "GET /admin/v1/apps/:app_name/context-calls/:request_id",
    "POST /admin/v1/apps/:app_name/context-calls/:request_id/replay",
    "POST /admin/v1/apps/:app_name/webhooks",
    "PATCH /admin/v1/apps/:app_name/webhooks/:webhook_id",
    "DELETE /admin/v1/apps/:app_name/webhooks/:webhook_id",
    "POST /admin/v1/apps/:app_name/webhooks/:webhook_id/test",
    "POST /admin/v1/apps/:app_name/webhooks/deliveries/:delivery_id/retry",
    "GET /admin/v1/apps/:app_name/webhooks",
    "GET /admin/v1/apps/:app_name/webhooks/:webhook_id",
    "GET /admin/v1/apps/:app_name/webhooks/:webhook_id/deliveries",
  ],
  archive_metric: ["PUT /admin/v1/apps/:app_name/uploaded-metrics/:event_category"],
  create_tracking_link: ["POST /v1/tracking-links", "POST /v1/tracking-links/bulk"],
  manage_tracking_links: [
    "PATCH /v1/tracking-links/:id/og-tag",
    "PATCH /v1/tracking-links/:id/routing",
    "PATCH /v1/tracking-links/:id",
    "POST /v1/tracking-links/:id/archive",
    "POST /v1/tracking-links/:id/restore",
    "GET /v1/tracking-links",
    "GET /v1/tracking-links/:id",
    "GET /v1/tracking-links/:id/qr",
    "GET /v1/tracking-links/:id/history",
  ],
  ingest_app_events: ["POST /events/v1/apps/:app_name/app-events"],
  open_deferred_link: ["POST /v1/tracking-links/open"],
  send_beacon: ["POST /events/v1/apps/:app_name/app-events/beacon"],
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
    "GET /self-serve-data/v1/ad-spend/requests",
    "GET /custom-data-upload/v1.0/cost/requests",
    "GET /self-serve-data/v1/metric/requests",
    "GET /self-serve-data/v1/ad-spend/requests/:request_id",
    "GET /custom-data-upload/v1.0/cost/requests/:request_id",
    "GET /self-serve-data/v1/metric/requests/:request_id",
  ],
  whoami: ["GET /admin/v1/whoami"],
  look_up_device: ["GET /events/v1/apps/:app_name/devices/:deviceId"],
  report_metadata: [
    "GET /dataspec/v2/apps/:app_name/actual-report/fields",
    "GET /dataspec/v2/apps/:app_name/actual-report/metrics",
    "GET /dataspec/v2/apps/:app_name/values",
    ...["active-users-report", "raw-export", "retention-report", "revenue-report"].flatMap((kind) =>
      ["events", "fields", "metrics"].map((list) => `GET /dataspec/v2/apps/:app_name/${kind}/${list}`),
    ),
  ],
  read_conversion_values: ["GET /skadnetwork/v1/conversion-value-schema", "GET /skadnetwork/conversion-bit-config/v4"],
  predict_context: ["POST /entry/inference/v1/context"],
};

const { report_actuals, report_active_users, report_cohorts } = routesOf;
const reportRequests = [...report_actuals, ...report_active_users, ...report_cohorts].filter(isPost);

const bulkIngestRoutes = [...routesOf.ingest_app_events, ...routesOf.send_beacon, ...routesOf.ingest_touchpoints];

/** Routes with a rate limit of their own (contract/limits.md#rate-limits); all others count as `other`. */
const routesByLimit: { readonly [limit in Exclude<RouteLimit, "other">]: readonly string[] } = {
  "link-creation": routesOf.create_tracking_link,
  ingest: [...routesOf.open_deferred_link, ...bulkIngestRoutes],
  "report-request": [...reportRequests, "POST /admin/v1/apps/:app_name/report-tasks/:task_id/explain"],
  "upload-request": routesOf.upload_data.filter(isPost),
  context: routesOf.predict_context,
};

/** Routes that honour an `Idempotency-Key` (contract/http.md#idempotency). */
const idempotentRoutes: readonly string[] = [
  ...routesOf.open_deferred_link,
  ...routesOf.create_tracking_link,
  "PATCH /v1/tracking-links/:id/og-tag",
  "PATCH /v1/tracking-links/:id/routing",
  "PATCH /v1/tracking-links/:id",
  "POST /v1/tracking-links/:id/archive",
  "POST /v1/tracking-links/:id/restore",
  ...reportRequests,
  ...routesOf.raw_export.filter(isPost),
  ...routesOf.upload_data.filter(isPost),
];

const kib = 1024;
const mib = 1024 * kib;
/** Maximum bytes of a body where it is not 1 MiB, and the routes, by their row in contract/limits.md#sizes. */
const bodyLimits: { readonly [row: string]: readonly [bytes: number, names: readonly string[]] } = {
  "a context call": [16 * kib, routesOf.predict_context],
  "a raw export's POST": [64 * kib, routesOf.raw_export.filter(isPost)],
  "a report's POST": [256 * kib, reportRequests],
  ingest: [5 * mib, bulkIngestRoutes],
  "an upload": [8 * mib, routesOf.upload_data.filter(isPost)],
  "a bulk request of tracking links": [13 * mib, ["POST /v1/tracking-links/bulk"]],
  // With the overhead of the form.
  "a model bundle": [33 * mib + 64 * kib, ["POST /admin/v1/model-bundles"]],
};

function isPost(name: string): boolean {
  return name.startsWith("POST");
}

/** Routes on which callers without the operation get 401. */
const withoutForbidden: readonly Operation[] = ["predict_context", "read_conversion_values"];
const channel = { kind: "channel", tokenId: "id-of-channel", channel: "partner", responseFormat: "v1" } as const;
const callers = { ...principals, channel };

/** Answers of the rate limiter, and the limits that were counted against. */
const limiting = { granted: true, names: new Set<string>() };
const rateLimiter: RateLimiter = {
  take: (name) => {
    limiting.names.add(name);
    return { granted: limiting.granted, limit: 1, remaining: 0, resetSeconds: 60, retryAfterSeconds: 30 };
  },
  exchange: (name, key) => rateLimiter.take(name, key),
};

const authenticate = async (authorization: string | undefined) => {
  if (authorization === undefined) return "missing";
  return callers[authorization.replace("Bearer ", "") as keyof typeof callers] ?? "unknown";
};
const { call, close } = await serveRoutes(routes, { authenticate, rateLimiter });
const send = (route: Route, sent: Call = {}, path = pathOf(route)): Promise<Answer> =>
  call(route.method.toUpperCase(), path, sent);
/** Sends as a caller who has the operation. */
const sendAllowed = (route: Route, sent: Call = {}, path = pathOf(route)): Promise<Answer> => {
  const token = allowedCallers(route)[0] ?? "";
  return send(route, { token, ...sent }, route.apiKey === true ? `${path}?api_key=${token}` : path);
};

function pathOf({ path }: Route, app = "shop"): string {
  return path.replace(":app_name", app).replaceAll(/:\w+/g, "1");
}

function allowedCallers({ operation }: Route): readonly string[] {
  const allowed: readonly string[] = permissions[operation];
  return Object.keys(callers).filter((name) => {
    const column = name === "other_owner" ? "owner" : name === "in_house" ? "in_house_marketer" : name;
    return allowed.includes(column);
  });
}

const table = suite("every route");
table.before.each(() => {
  limiting.granted = true;
  limiting.names.clear();
});
table.after(close);

const named = (isOne: (route: Route) => boolean): readonly string[] => routes.filter(isOne).map(nameOf).sort();
const sorted = (lists: { readonly [key: string]: readonly string[] }) =>
  Object.fromEntries(Object.entries(lists).map(([key, names]) => [key, [...names].sort()]));

table("has its operation", () => {
  const operations = Object.keys(permissions) as Operation[];
  assert.equal(
    Object.fromEntries(operations.map((name) => [name, named(({ operation }) => operation === name)])),
    sorted(routesOf),
  );
});

table("counts against its rate limit", () => {
  const { other: _, ...found } = Object.fromEntries(
    [...Object.keys(routesByLimit), "other"].map((name) => [name, named(({ limit = "other" }) => limit === name)]),
  );
  assert.equal(found, sorted(routesByLimit));
});

table("honours an Idempotency-Key where its writes derive their ids from it", () => {
  assert.equal(
    named(({ idempotent }) => idempotent === true),
    [...idempotentRoutes].sort(),
  );
});

table("has its maximum body size", () => {
  const found = routes.map((route) => [nameOf(route), maxBodyBytes(route)] as const);
  const expected = Object.values(bodyLimits).flatMap(([bytes, names]) => names.map((name) => [name, bytes] as const));
  assert.equal(
    Object.fromEntries(found.filter(([, bytes]) => bytes !== null && bytes !== mib)),
    Object.fromEntries(expected),
  );
});

table("has its maximum body size in the contract", () => {
  const written = (bytes: number) => (bytes < mib ? `${bytes / kib} KiB` : `${Math.floor(bytes / mib)} MiB`);
  const page = readFileSync(join(root, "docs/contract/limits.md"), "utf8");
  const rows = [...page.matchAll(/^\| body of (.+?) \| (\d+ [KM]iB)/gm)].map(([, row = "", size]) => [row, size]);
  assert.equal(Object.fromEntries(rows), {
    ...Object.fromEntries(Object.entries(bodyLimits).map(([row, [bytes]]) => [row, written(bytes)])),
    "a server-to-server click": written(maxClickBytes),
    "any other request": written(mib),
  });
});

function maxBodyBytes({ body, bodyLimit = mib, file, files }: Route): number | null {
  return file?.limit ?? files?.limit ?? (body === undefined ? null : bodyLimit);
}

/** The bucket that the first of its callers takes from. */
function limitOf({ limit = "other", beacon }: Route): string {
  return limit === "ingest" ? (beacon === true ? "ingest-sdk" : "ingest-api") : limit;
}

for (const route of routes) {
  const name = nameOf(route);
  // Context calls have response codes of their own: test/read-api/prediction/context-route.test.ts.
  const hasOwnProblems = route.replyToRefused !== undefined;

  table(`${name} rejects callers who lack the operation, and callers without a token`, async () => {
    const allowed = allowedCallers(route);
    const statuses = new Map<number, string[]>();
    for (const token of Object.keys(principals).filter((known) => !allowed.includes(known))) {
      const { status } = await send(route, { token });
      statuses.set(status, [...(statuses.get(status) ?? []), token]);
    }
    const isSecret = withoutForbidden.includes(route.operation);
    const isForAll = allowed.length === Object.keys(principals).length;
    assert.equal([...statuses.keys()], isForAll ? [] : [isSecret ? 401 : 403]);
    assert.is((await send(route)).status, 401);
    const isUnknownApp = route.operation === "create_tracking_link";
    assert.is((await send(route, { token: "unknown" })).status, isUnknownApp ? 404 : 401);
  });

  table(`${name} responds in the language of the client`, async () => {
    for (const language of ["en", "ko", "ja"]) {
      const { headers } = await send(route, { headers: { "Accept-Language": `${language}, *;q=0.1` } });
      assert.equal(
        [headers["content-language"], headers.vary],
        [language, route.crossOrigin === true ? "Origin, Accept-Language" : "Accept-Language"],
      );
    }
  });

  if (route.path.includes(":app_name")) {
    table(`${name} answers 404 for an unknown app, and for another app than the token's`, async () => {
      assert.is(outcomeOf(await sendAllowed(route, {}, pathOf(route, "unknown"))), "404 APP_NOT_FOUND");
      if (allowedCallers(route).some((token) => token !== "operator")) {
        assert.is(outcomeOf(await sendAllowed(route, {}, pathOf(route, "other_shop"))), "404 APP_NOT_FOUND");
      }
    });
  }

  if (!hasOwnProblems) {
    table(`${name} answers 429 beyond its rate limit`, async () => {
      limiting.granted = false;
      const answer = await sendAllowed(route);
      assert.equal(
        [outcomeOf(answer), answer.headers["retry-after"], [...limiting.names]],
        ["429 RATE_LIMITED", "30", [limitOf(route)]],
      );
    });
  }

  const limit = maxBodyBytes(route);
  if (limit !== null && !hasOwnProblems) {
    table(`${name} rejects a body that is too large or of another kind`, async () => {
      // Only the length is sent: it suffices.
      const tooLarge = { "Content-Length": String(limit + 1), Connection: "close" };
      assert.is(outcomeOf(await sendAllowed(route, { headers: tooLarge })), "413 PAYLOAD_TOO_LARGE");
      const text = await sendAllowed(route, { body: "{", headers: { "Content-Type": "text/plain" } });
      const ofText = route.beacon === true ? "400 INVALID_JSON" : "415 UNSUPPORTED_MEDIA_TYPE";
      assert.is(outcomeOf(text), route.body === undefined ? "400 NOT_MULTIPART" : ofText);
      if (route.body === undefined) return;
      const malformed = await sendAllowed(route, { body: "{", headers: { "Content-Type": "application/json" } });
      assert.is(outcomeOf(malformed), `${route.statuses?.json ?? 400} INVALID_JSON`);
    });
  }
}

const methods = new Map<string, string[]>();
for (const { method, path } of routes) {
  methods.set(path, [...(methods.get(path) ?? []), ...(method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()])]);
}
/** Whether a route has the address, as `/v1/tracking-links/:id` has `/v1/tracking-links/bulk`. */
const isServed = (method: string, address: string): boolean =>
  routes.some((route) => {
    const pattern = new RegExp(`^${route.path.replaceAll(/:\w+/g, "[^/]+")}$`);
    return route.method.toUpperCase() === method && pattern.test(address);
  });
for (const [path, allowed] of methods) {
  table(`${path} answers 405 for methods other than ${allowed.join(", ")}`, async () => {
    const address = path.replaceAll(/:\w+/g, "1");
    const other = ["PATCH", "DELETE", "PUT"].find((method) => !isServed(method, address)) ?? "";
    const answer = await call(other, address);
    assert.equal([outcomeOf(answer), answer.headers.allow], ["405 METHOD_NOT_ALLOWED", allowed.join(", ")]);
  });
}

table.run();
