import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type LinkHandlerOptions, linkHandler } from "../../../commands/link-serving/link-handler.ts";
import { defaultRateLimits } from "../../../infra/config/rate-limits.ts";
import { EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { createRateLimiter } from "../../../infra/http/routing/rate-limiter.ts";
import { createHttpApp } from "../../../infra/http/server/http-app.ts";
import { listen } from "../../../infra/http/server/http-server.ts";
import { type LinkApplication, startLinkApplication } from "../../support/link-application.ts";
import { clientOf } from "../../support/raw-client.ts";
import { create, open } from "../../support/visitor.ts";

let now = 0;
const limits = { ...defaultRateLimits, anonymous: { count: 3, seconds: 60 } };

const unknown = suite<{ application: LinkApplication }>("look-ups of unknown links from one address");
unknown.before.each(async (context) => {
  now += 3_600_000;
  context.application = await startLinkApplication({ rateLimiter: createRateLimiter(limits, () => now) });
});
unknown.after.each(({ application }) => application.close());

unknown("end in 404 up to the limit, then in 429, of any method, until the bucket is refilled", async (context) => {
  const { application } = context;
  const visit = async (shortId: string, method = "GET") => {
    const { status, headers } = await open(application, `${application.baseUrl}/l/${shortId}`, undefined, { method });
    return [status, headers["retry-after"], headers["content-type"]];
  };
  const html = "text/html; charset=utf-8";
  assert.equal(
    [
      await visit("none1"),
      await visit("none2", "HEAD"),
      await visit("none3"),
      await visit("none4"),
      await visit("none5"),
    ],
    [...Array(3).fill([404, undefined, html]), ...Array(2).fill([429, "20", html])],
  );
  // Known to be unknown for two seconds: nothing is looked up.
  assert.is((await visit("none1"))[0], 404);
  const click = await application.call("POST", "/l/s2s/@shop/partner?routing_short_id=none6");
  assert.equal([click.status, (click.json as { code: string }).code], [429, "RATE_LIMITED"]);
  now += 20_000;
  assert.equal([(await visit("none4"))[0], (await visit("none5"))[0]], [404, 429]);
});

unknown("do not limit visits of known links, whether they are in memory or not", async ({ application }) => {
  const [first, second] = [await create(application, {}), await create(application, {})];
  const visit = async (url: string) => (await open(application, url)).status;
  for (const guess of ["none1", "none2"]) await visit(`${application.baseUrl}/l/${guess}`);
  for (const { shortUrl } of [first, second, first, second]) assert.is(await visit(shortUrl), 302);
  for (const guess of ["none3", "none4"]) await visit(`${application.baseUrl}/l/${guess}`);
  assert.is(await visit(first.shortUrl), 302);
});

unknown("do not count while no link can be looked up", async () => {
  const links = { cached: () => undefined, find: () => Promise.reject(new EventLogUnavailable("away")) };
  const app = createHttpApp();
  const rateLimiter = createRateLimiter(limits, () => now);
  app.use(linkHandler({ links, rateLimiter, baseUrl: "http://localhost" } as unknown as LinkHandlerOptions));
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const visit = async () => (await clientOf(server.port)("GET", "/summer")).status;
  assert.equal([await visit(), await visit(), await visit(), await visit()], [503, 503, 503, 503]);
  await server.close(AbortSignal.timeout(1_000));
});

unknown("end when the link is created: it redirects at once", async ({ application }) => {
  const { baseUrl } = application;
  assert.is((await open(application, `${baseUrl}/l/summer`)).status, 404);
  const { shortUrl } = await create(application, { customShortId: "summer" });
  assert.is((await open(application, shortUrl)).status, 302);
});

unknown.run();
