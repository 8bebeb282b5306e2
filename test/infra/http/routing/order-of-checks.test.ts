import { gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { EventLogUnavailable } from "../../../../infra/event-log/event-log.ts";
import { textOf } from "../../../../infra/http/i18n/messages.ts";
import type { RateLimiter } from "../../../../infra/http/routing/rate-limiter.ts";
import { ok, refuse, route } from "../../../../infra/http/routing/route.ts";
import type { Answer, Call } from "../../../support/raw-client.ts";
import { outcomeOf, serveRoutes } from "../../../support/served-routes.ts";
import { errorsOf } from "../../../support/short-faults.ts";
import { testRouteDocs } from "../../../support/test-route-docs.ts";

const body = {
  type: "object",
  required: ["groupBys"],
  additionalProperties: false,
  properties: {
    groupBys: { type: "array", maxItems: 3, items: { type: "string", enum: ["channel", "campaign"] } },
    note: { type: "string" },
  },
} as const;
const query = {
  type: "object",
  properties: { size: { type: "integer", minimum: 1 }, csv: { type: "boolean" }, keyword: { type: "string" } },
} as const;
const bodyLimit = 1_000;

const echo = route({
  docs: testRouteDocs,
  method: "post",
  path: "/test/apps/:app_name/echo/:id",
  operation: "manage_tracking_links",
  body,
  query,
  bodyLimit,
  handle: async (request) =>
    ok({ app: request.app?.name, params: request.params, query: request.query, body: request.body }),
});
const zipped = route({
  docs: testRouteDocs,
  method: "post",
  path: "/test/zipped",
  operation: "manage_tracking_links",
  body,
  bodyLimit,
  gzip: true,
  handle: async (request) => ok({ body: request.body, app: request.app?.name }),
});
const detail = route({
  docs: testRouteDocs,
  method: "get",
  path: "/test/detail/:id",
  operation: "manage_tracking_links",
  body: {
    type: "object",
    additionalProperties: false,
    properties: { idType: { type: "string", enum: ["id", "shortId"] } },
  },
  handle: async (request) => ok({ id: request.params.id, body: request.body }),
});
const ogTag = route({
  docs: testRouteDocs,
  method: "patch",
  path: "/test/og-tag/:id",
  operation: "manage_tracking_links",
  body,
  statuses: { json: 404, field: 404 },
  handle: async () => ok({}),
});
const create = route({
  docs: testRouteDocs,
  method: "post",
  path: "/test/links",
  operation: "create_tracking_link",
  body,
  statuses: { field: 422, unknownToken: 404 },
  handle: async () => ok({}),
});
const broken = route({
  docs: testRouteDocs,
  method: "get",
  path: "/test/broken",
  operation: "operate",
  handle: async ({ requestId }) => {
    throw new Error(`select secret from passwords at /srv/touchledger (${requestId})`);
  },
});
const state = route({
  docs: testRouteDocs,
  method: "get",
  path: "/test/apps/:app_name/state",
  operation: "administer_app",
  handle: async () => ok({}),
});
const taken = route({
  docs: testRouteDocs,
  method: "post",
  path: "/test/taken",
  operation: "operate",
  handle: async () => refuse({ status: 409, code: "BUNDLE_ACTIVE" }),
});

/** Whether calls of known callers are within their rate limit. */
let isWithinLimit = true;
const counted = { granted: true, limit: 1, remaining: 0, resetSeconds: 60, retryAfterSeconds: 30 };
const rateLimiter: RateLimiter = {
  take: (limit) => ({ ...counted, granted: limit === "anonymous" || isWithinLimit }),
  exchange: () => counted,
};
const { call, failures, close } = await serveRoutes([echo, zipped, detail, ogTag, create, broken, state, taken], {
  rateLimiter,
});
const token = "owner";

const order = suite("the order of checks");
order.after(close);

const path = "/test/apps/shop/echo/1";
const big = JSON.stringify({ groupBys: [], note: "x".repeat(bodyLimit) });
const text = { "Content-Type": "text/plain" };
const post = (sent: Call, to = path): Promise<Answer> => call("POST", to, sent);

order("is 401, then 429, 403, 404, 413, 415, then 400, each hiding what comes after it", async () => {
  const wrongBody = { body: "{", headers: text };
  assert.is(outcomeOf(await post({ ...wrongBody, body: big })), "401 UNAUTHORIZED");
  assert.is(outcomeOf(await post({ ...wrongBody, body: big, token: "unknown" })), "401 UNAUTHORIZED");
  assert.is(outcomeOf(await post({ ...wrongBody, body: big, token: "nonsense" })), "401 UNAUTHORIZED");
  isWithinLimit = false;
  assert.is(outcomeOf(await post({ ...wrongBody, body: big, token: "nonsense" })), "401 UNAUTHORIZED");
  assert.is(outcomeOf(await post({ ...wrongBody, body: big, token: "sdk" })), "429 RATE_LIMITED");
  isWithinLimit = true;
  assert.is(outcomeOf(await post({ ...wrongBody, body: big, token: "sdk" })), "403 FORBIDDEN");
  assert.is(outcomeOf(await post({ ...wrongBody, body: big, token: "other_owner" })), "404 APP_NOT_FOUND");
  assert.is(outcomeOf(await post({ ...wrongBody, body: big, token })), "413 PAYLOAD_TOO_LARGE");
  assert.is(outcomeOf(await post({ ...wrongBody, body: big, token, chunksOf: 300 })), "413 PAYLOAD_TOO_LARGE");
  assert.is(outcomeOf(await post({ ...wrongBody, token })), "415 UNSUPPORTED_MEDIA_TYPE");
  assert.is(outcomeOf(await post({ body: "{", token })), "400 INVALID_JSON");
  assert.is(outcomeOf(await post({ body: { groupBys: 1 }, token })), "400 VALIDATION_FAILED");
  assert.is(outcomeOf(await post({ body: { groupBys: [] }, token })), "200");
});

order("gives the same response for another's app as for none", async () => {
  const foreign = await post({ token: "other_owner" }, "/test/apps/shop/echo/1");
  // Both names are as similar to that of the caller's own app, other_shop.
  const absent = await post({ token: "other_owner" }, "/test/apps/shops/echo/1");
  const shown = ({ json }: Answer) => ({ ...(json as object), instance: null, requestId: null });
  assert.equal(shown(foreign), shown(absent));
});

order("names the app that was probably meant, if the caller may see it", async () => {
  const meant = async (token: string, app: string): Promise<unknown> => {
    const { json } = await call("GET", `/test/apps/${app}/state`, { token });
    const { code, detail } = json as { readonly code: string; readonly detail: string };
    return [code, /Did you mean (\w+)\?/.exec(detail)?.[1] ?? null];
  };
  assert.equal(await meant("owner", "shpo"), ["APP_NOT_FOUND", "shop"]);
  assert.equal(await meant("owner", "other_shp"), ["APP_NOT_FOUND", null]);
  assert.equal(await meant("operator", "other_shp"), ["APP_NOT_FOUND", "other_shop"]);
});

order("names every fault of path, query and body with its place", async () => {
  const wrong = { groupBys: ["channel", "nothing"], extra: 1, note: 5 };
  const answer = await post({ token, body: wrong }, "/test/apps/shop/echo/%00?size=0&csv=maybe&other=1");
  assert.is(outcomeOf(answer), "400 VALIDATION_FAILED");
  assert.equal(errorsOf(answer), [
    ["path", "id", "illegal_text"],
    ["query", "size", "out_of_range"],
    ["query", "csv", "wrong_type"],
    ["body", "extra", "unknown_field"],
    ["body", "groupBys", 1, "not_allowed"],
    ["body", "note", "wrong_type"],
  ]);
});

order("reads valid input: types of the query from its schema, the path decoded, no content type as JSON", async () => {
  const to = "/test/apps/shop/echo/a%2fb%20c?size=5&csv=true&keyword=%ED%95%9C+%2B&unknown=%2e";
  const answer = await post({ token, body: { groupBys: ["channel"] } }, to);
  assert.equal(answer.json, {
    app: "shop",
    params: { app_name: "shop", id: "a/b c" },
    query: { size: 5, csv: true, keyword: "한 +" },
    body: { groupBys: ["channel"] },
  });
});

order("refuses bodies in other encodings than the route takes", async () => {
  const gzip = gzipSync(JSON.stringify({ groupBys: [] }));
  const headers = { "Content-Encoding": "gzip" };
  assert.is(outcomeOf(await post({ token, headers, body: gzip })), "415 UNSUPPORTED_MEDIA_TYPE");
  assert.is(
    outcomeOf(await post({ token, headers: { "Content-Encoding": "br" }, body: gzip }, "/test/zipped")),
    "415 UNSUPPORTED_MEDIA_TYPE",
  );
  assert.equal((await post({ token, headers, body: gzip }, "/test/zipped")).json, {
    body: { groupBys: [] },
    app: "shop",
  });
  assert.is(outcomeOf(await post({ token, headers, body: gzip.subarray(0, 9) }, "/test/zipped")), "400 INVALID_GZIP");
  const text = { ...headers, "Content-Type": "text/plain" };
  assert.is(
    outcomeOf(await post({ token, headers: text, body: "x" }, "/test/zipped")),
    "415 UNSUPPORTED_MEDIA_TYPE",
    "before it is inflated",
  );
  assert.is(outcomeOf(await post({ token, headers, body: gzipSync(big) }, "/test/zipped")), "413 PAYLOAD_TOO_LARGE");
  const charset = { "Content-Type": "application/json; charset=UTF-8" };
  assert.is(outcomeOf(await post({ token, headers: charset, body: { groupBys: [] } })), "200");
  const latin = { "Content-Type": "application/json; charset=iso-8859-1" };
  assert.is(outcomeOf(await post({ token, headers: latin, body: { groupBys: [] } })), "415 UNSUPPORTED_MEDIA_TYPE");
  const outcomes = [];
  for (const length of [1_023, 1_024, 1_025]) {
    const padded = { "Content-Type": "application/json".padEnd(length, ";") };
    outcomes.push(outcomeOf(await post({ token, headers: padded, body: { groupBys: [] } })));
  }
  assert.equal(outcomes, ["200", "200", "415 UNSUPPORTED_MEDIA_TYPE"]);
});

order("reads the body of a GET that declares one, and takes its absence for an empty one", async () => {
  const withBody = await call("GET", "/test/detail/7", { token, body: { idType: "shortId" } });
  assert.equal(withBody.json, { id: "7", body: { idType: "shortId" } });
  assert.equal((await call("GET", "/test/detail/7", { token })).json, { id: "7", body: {} });
  const wrong = await call("GET", "/test/detail/7", { token, body: { idType: "name" } });
  assert.is(outcomeOf(wrong), "400 VALIDATION_FAILED");
});

order("follows a route's own statuses", async () => {
  const patch = (sent: Call) => call("PATCH", "/test/og-tag/1", { token, ...sent });
  assert.is(outcomeOf(await patch({ body: "{" })), "404 INVALID_JSON");
  assert.is(outcomeOf(await patch({ body: {} })), "404 VALIDATION_FAILED");
  assert.is(outcomeOf(await patch({ body: { groupBys: ["\u0000"] } })), "404 VALIDATION_FAILED");
  assert.is(outcomeOf(await post({ body: {} }, "/test/links")), "401 UNAUTHORIZED");
  assert.is(outcomeOf(await post({ token: "unknown", body: {} }, "/test/links")), "404 APP_NOT_FOUND");
  assert.is(outcomeOf(await post({ token, body: "{" }, "/test/links")), "400 INVALID_JSON");
  assert.is(outcomeOf(await post({ token, body: {} }, "/test/links")), "422 VALIDATION_FAILED");
});

order("responds with 404 for unknown paths", async () => {
  assert.is(outcomeOf(await call("GET", "/nothing/here")), "404 NOT_FOUND");
  assert.is(outcomeOf(await call("GET", "/Test/detail/7")), "404 NOT_FOUND");
});

order("responds to a rejection with its status", async () => {
  assert.is(outcomeOf(await post({ token: "operator" }, "/test/taken")), "409 BUNDLE_ACTIVE");
});

order("writes problems as RFC 9457, without details of the failure", async () => {
  const answer = await call("GET", "/test/broken?token=secret", { token: "operator" });
  assert.is(answer.headers["content-type"], "application/problem+json; charset=utf-8");
  assert.equal(answer.json, {
    type: "about:blank",
    status: 500,
    title: textOf({ code: "title.500" }, "en"),
    detail: textOf({ code: "INTERNAL_ERROR" }, "en"),
    instance: "/test/broken",
    code: "INTERNAL_ERROR",
    requestId: answer.headers["x-request-id"],
  });
  assert.match(String(failures.at(-1)), "select secret from passwords");
});

order("gives every response a request id of its own, never the caller's", async () => {
  const own = "01900000-0000-7000-8000-000000000000";
  const headers = { "X-Request-Id": own };
  const answers = await Promise.all([
    call("GET", "/test/detail/7", { token, headers }),
    call("GET", "/nothing", { headers }),
    call("DELETE", "/test/detail/7", { headers }),
    call("GET", "/test/broken", { token: "operator", headers }),
    post({ token, headers, body: "{" }),
    post({ headers }),
  ]);
  const ids = answers.map((answer) => String(answer.headers["x-request-id"]));
  assert.equal(
    answers.map(({ status }) => status),
    [200, 404, 405, 500, 400, 401],
  );
  assert.ok(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)));
  assert.is(new Set([...ids, own]).size, ids.length + 1);
});

order("sends the challenge of RFC 6750 and the security headers", async () => {
  const { headers } = await post({});
  assert.is(headers["www-authenticate"], "Bearer");
  assert.is(headers["cache-control"], "no-store");
  assert.is(headers["x-content-type-options"], "nosniff");
  assert.is(headers["content-security-policy"], "default-src 'none';frame-ancestors 'none'");
  assert.is(headers["x-powered-by"], undefined);
});

order.run();

const unreachable = suite("an event store that cannot be reached");

unreachable("is 503 with Retry-After", async () => {
  const authenticate = async () => {
    throw new EventLogUnavailable("down");
  };
  const served = await serveRoutes([detail], { authenticate });
  const response = await served.call("GET", "/test/detail/1", { token });
  assert.equal([outcomeOf(response), response.headers["retry-after"]], ["503 SERVICE_UNAVAILABLE", "2"]);
  await served.close();
});

unreachable.run();
