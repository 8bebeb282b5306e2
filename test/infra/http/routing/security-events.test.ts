import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ok, route } from "../../../../infra/http/routing/route.ts";
import type { SecurityEvent } from "../../../../infra/process/security-log.ts";
import { type ServedRoutes, serveRoutes } from "../../../support/served-routes.ts";
import { testRouteDocs } from "../../../support/test-route-docs.ts";

const links = route({
  docs: testRouteDocs,
  method: "post",
  path: "/test/links",
  operation: "create_tracking_link",
  statuses: { unknownToken: 404 },
  handle: async () => ok({}),
});
const issue = route({
  docs: testRouteDocs,
  method: "post",
  path: "/admin/v1/apps/:app_name/tokens",
  operation: "administer_app",
  handle: async () => ok({ secret: "text" }, { tokens: { issued: ["an-id"] } }),
});
const revoke = route({
  docs: testRouteDocs,
  method: "delete",
  path: "/admin/v1/apps/:app_name/tokens",
  operation: "administer_app",
  handle: async () => ok({}, { tokens: { revoked: ["an-id"] } }),
});
const show = route({
  docs: testRouteDocs,
  method: "get",
  path: "/admin/v1/apps/:app_name",
  operation: "administer_app",
  handle: async () => ok({}),
});

const events: SecurityEvent[] = [];
let served: ServedRoutes;
const test = suite("security events of calls");
test.before(async () => {
  served = await serveRoutes([links, issue, revoke, show], { secured: (event) => void events.push(event) });
});
test.after(() => served.close());

async function eventsOf(method: string, path: string, token: string | null): Promise<readonly SecurityEvent[]> {
  events.length = 0;
  await served.call(method, path, { headers: token === null ? {} : { Authorization: `Bearer ${token}` } });
  return [...events];
}

test("have request id, address, method, path as declared and the id of the token, never its text", async () => {
  const [event, ...others] = await eventsOf("GET", "/admin/v1/apps/other_shop", "owner");
  assert.equal(others, []);
  const { requestId, address, ...rest } = event as SecurityEvent;
  assert.match(requestId, /^[0-9a-f-]{36}$/);
  assert.match(String(address), /^(127\.0\.0\.1|::1)$/);
  assert.equal(rest, {
    event: "permission_refused",
    method: "GET",
    path: "/admin/v1/apps/:app_name",
    status: 404,
    caller: "token",
    tokenId: "id-of-owner",
    app: null,
  });
});

const shop = "/admin/v1/apps/shop";
for (const [name, method, path, token, event, tokens] of [
  ["a missing token", "GET", shop, null, "token_refused", undefined],
  ["an unknown token", "GET", shop, "guessed", "token_refused", undefined],
  ["an unknown token that is answered as an unknown app", "POST", "/test/links", "guessed", "token_refused", undefined],
  ["a token without permission", "GET", shop, "link", "permission_refused", undefined],
  ["an admin call", "GET", shop, "operator", "admin_call", undefined],
  ["an issued token", "POST", `${shop}/tokens`, "operator", "token_issued", ["an-id"]],
  ["a revoked token", "DELETE", `${shop}/tokens`, "operator", "token_revoked", ["an-id"]],
] as const) {
  test(`include ${name}`, async () => {
    const found = await eventsOf(method, path, token);
    assert.equal(
      found.map((one) => [one.event, one.tokens]),
      [[event, tokens]],
    );
  });
}

test("do not include an ordinary call", async () => {
  assert.equal(await eventsOf("POST", "/test/links", "owner"), []);
});

test.run();
