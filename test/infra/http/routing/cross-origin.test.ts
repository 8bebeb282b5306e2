import { suite } from "uvu";
import * as assert from "uvu/assert";
import { defaultRateLimits } from "../../../../infra/config/rate-limits.ts";
import { EventLogUnavailable } from "../../../../infra/event-log/event-log.ts";
import { problems } from "../../../../infra/http/response/problem.ts";
import { createRateLimiter } from "../../../../infra/http/routing/rate-limiter.ts";
import { appRoute, ok, refuse } from "../../../../infra/http/routing/route.ts";
import { servedShop } from "../../../support/application.ts";
import { type ServedRoutes, serveRoutes } from "../../../support/served-routes.ts";
import { testRouteDocs } from "../../../support/test-route-docs.ts";

const page = "https://shop.example";
const shop = { ...servedShop, allowedOrigins: [page, "http://localhost:3000"] };
const shared = { docs: testRouteDocs, operation: "ingest_app_events", crossOrigin: true } as const;

let application: ServedRoutes;
const pages = suite("web pages of other origins");
pages.before(async () => {
  application = await serveRoutes(
    [
      appRoute({ ...shared, method: "post", path: "/events/:app_name", handle: async () => ok({ data: null }) }),
      appRoute({ ...shared, method: "get", path: "/events/:app_name", handle: async () => refuse(problems.notFound) }),
      appRoute({
        ...shared,
        operation: "predict_context",
        method: "post",
        path: "/context",
        handle: async () => ok({}),
      }),
      appRoute({ ...shared, crossOrigin: false, method: "get", path: "/closed/:app_name", handle: async () => ok({}) }),
    ],
    { findApp: async (name) => (name === "shop" ? shop : null), findAppById: async () => shop },
  );
});
pages.after(() => application.close());

/** Status, allowed origin and allowed methods. */
async function responseTo(
  method: string,
  path: string,
  origin: string | null,
  token = "sdk",
): Promise<readonly unknown[]> {
  const { status, headers } = await application.call(method, path, {
    token,
    headers: origin === null ? {} : { origin },
  });
  return [status, headers["access-control-allow-origin"], headers["access-control-allow-methods"]];
}

pages("get the allowed methods, when the app allows their origin", async () => {
  assert.equal(await responseTo("OPTIONS", "/events/shop", page), [204, page, "POST, GET, HEAD"]);
  for (const origin of ["https://shop.example.evil", "http://shop.example", "null", null])
    assert.equal(await responseTo("OPTIONS", "/events/shop", origin), [204, undefined, undefined]);
  assert.equal(await responseTo("OPTIONS", "/events/unknown", page), [204, undefined, undefined]);
});

pages(
  "of an address with too many requests for unknown apps get the response of a foreign app, if it is not in memory",
  async () => {
    const limits = { ...defaultRateLimits, anonymous: { count: 3, seconds: 3_600 } };
    const rateLimiter = createRateLimiter(limits);
    const route = appRoute({ ...shared, method: "post", path: "/events/:app_name", handle: async () => ok({}) });
    const findApp = async (name: string) => (name === "shop" ? shop : null);
    const names: string[] = [];
    const limited = await serveRoutes([route], { findApp, appNames: () => names, rateLimiter });
    try {
      const isAllowed = async (app: string) => {
        const { status, headers } = await limited.call("OPTIONS", `/events/${app}`, { headers: { origin: page } });
        assert.is(status, 204);
        return headers["access-control-allow-origin"] === page;
      };
      const allowed = [];
      for (const app of ["shop", "shop", "shop", "shop", "a", "b", "shop", "c", "shop"])
        allowed.push(await isAllowed(app));
      assert.equal(allowed, [true, true, true, true, false, false, true, false, false]);
      names.push("shop");
      assert.equal([await isAllowed("shop"), await isAllowed("d")], [true, false]);
    } finally {
      await limited.close();
    }
  },
);

pages("of an address do not count if their app could not be looked up", async () => {
  const rateLimiter = createRateLimiter({ ...defaultRateLimits, anonymous: { count: 1, seconds: 3_600 } });
  const route = appRoute({ ...shared, method: "post", path: "/events/:app_name", handle: async () => ok({}) });
  const findApp = async (name: string) => {
    if (name === "lost") throw new EventLogUnavailable("the event store is down");
    return null;
  };
  const limited = await serveRoutes([route], { findApp, rateLimiter });
  try {
    const statuses = [];
    for (const app of ["lost", "lost", "a", "lost"]) {
      statuses.push((await limited.call("OPTIONS", `/events/${app}`, { headers: { origin: page } })).status);
    }
    // Nothing is looked up for the last one.
    assert.equal(statuses, [503, 503, 204, 204]);
  } finally {
    await limited.close();
  }
});

pages("may read responses and problems, which caches keep apart by origin", async () => {
  const { headers } = await application.call("POST", "/events/shop", { token: "sdk", headers: { origin: page } });
  assert.match(headers.vary ?? "", /\bOrigin\b/);
  assert.is(headers["access-control-expose-headers"], "Retry-After, X-Log-Position, X-Request-Id");
  assert.equal(await responseTo("GET", "/events/shop", page), [404, page, undefined]);
  assert.equal(await responseTo("POST", "/events/shop", page, "link"), [403, page, undefined]);
  assert.equal(await responseTo("POST", "/events/shop", page, "unknown"), [401, undefined, undefined]);
  assert.equal(await responseTo("POST", "/events/shop", "https://evil.example"), [200, undefined, undefined]);
});

pages("of a path that names no app are judged by the app of the token", async () => {
  assert.equal(await responseTo("OPTIONS", "/context", "https://any.example"), [204, "https://any.example", "POST"]);
  assert.equal(await responseTo("POST", "/context", page), [200, page, undefined]);
  assert.equal(await responseTo("POST", "/context", "https://any.example"), [200, undefined, undefined]);
});

pages("may not call other routes", async () => {
  assert.equal(await responseTo("OPTIONS", "/closed/shop", page), [405, undefined, undefined]);
  assert.equal(await responseTo("GET", "/closed/shop", page), [200, undefined, undefined]);
});

pages.run();
