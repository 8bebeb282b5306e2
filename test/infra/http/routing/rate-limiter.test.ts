import type { Request } from "express";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createJournals } from "../../../../commands/journals/journal.ts";
import type { Principal } from "../../../../domain/tokens/principal.ts";
import {
  defaultRateLimits,
  maxCountOf,
  type RateLimitName,
  type RateLimits,
} from "../../../../infra/config/rate-limits.ts";
import { EventLogUnavailable } from "../../../../infra/event-log/event-log.ts";
import type { RouteDeps } from "../../../../infra/http/routing/mount-routes.ts";
import {
  type AnonymousCall,
  addressBudget,
  createRateLimiter,
  createTokenBuckets,
  type RateLimiter,
  type RouteLimit,
} from "../../../../infra/http/routing/rate-limiter.ts";
import { ok, type Route, route } from "../../../../infra/http/routing/route.ts";
import { shop } from "../../../examples/app.ts";
import { principals } from "../../../support/application.ts";
import { startTestLog } from "../../../support/event-store.ts";
import { appEventIngest } from "../../../support/ingest.ts";
import type { Answer, Call, Client } from "../../../support/raw-client.ts";
import { outcomeOf, serveRoutes } from "../../../support/served-routes.ts";
import { testRouteDocs } from "../../../support/test-route-docs.ts";

const { log, close } = await startTestLog();

let now = 0;
const clock = (): number => now;
const limiterOf = (limits: Partial<RateLimits> = {}): RateLimiter => {
  const limiter = createRateLimiter({ ...defaultRateLimits, ...limits }, clock);
  if (limiter === null) throw new Error("The limits are on.");
  return limiter;
};

const bucket = suite("a token bucket");

bucket("grants as many tokens as it holds, then reports when to retry", () => {
  const { take } = createTokenBuckets({ count: 3, seconds: 60 }, 10, clock);
  const granted = { granted: true, limit: 3, retryAfterSeconds: 0 };
  assert.equal(
    [take("a"), take("a"), take("a"), take("a")],
    [
      { ...granted, remaining: 2, resetSeconds: 20 },
      { ...granted, remaining: 1, resetSeconds: 40 },
      { ...granted, remaining: 0, resetSeconds: 60, retryAfterSeconds: 20 },
      { granted: false, limit: 3, remaining: 0, resetSeconds: 60, retryAfterSeconds: 20 },
    ],
  );
  assert.is(take("b").granted, true);
});

bucket("is refilled evenly, one token at its millisecond and not before, and never beyond full", () => {
  const { take } = createTokenBuckets({ count: 3, seconds: 60 }, 10, clock);
  for (let taken = 0; taken < 3; taken += 1) take("a");
  now += 19_999;
  const early = take("a");
  assert.equal([early.granted, early.retryAfterSeconds], [false, 1]);
  now += 1;
  assert.equal([take("a").granted, take("a").granted], [true, false]);
  now += 3_600_000;
  assert.is(take("a").remaining, 2);
});

for (const name of Object.keys(defaultRateLimits) as RateLimitName[]) {
  const { count, seconds } = defaultRateLimits[name];
  bucket(
    `grants ${name} at n-1 and n of ${count} per ${seconds} s and refuses n+1, also when the calls are spread`,
    () => {
      for (const spread of [false, true]) {
        const { take } = limiterOf();
        assert.is(take(name, "a", count - 1).remaining, 1);
        assert.equal([take(name, "a").granted, take(name, "a").granted], [true, false]);
        let granted = 0;
        const steps = spread ? 100 : 1;
        for (let step = 0; step < steps; step += 1) {
          now += (seconds * 1_000) / steps;
          const most = Math.floor(count / steps);
          if (take(name, "a", most).granted) granted += most;
          while (take(name, "a").granted) granted += 1;
        }
        assert.is(granted, count);
      }
    },
  );
}

bucket("is forgotten, the longest unused first, when there are too many", () => {
  const { take } = createTokenBuckets({ count: 2, seconds: 60 }, 2, clock);
  const remaining = ["a", "b", "a", "c", "a", "b"].map((key) => `${key} ${take(key).remaining}`);
  assert.equal(remaining, ["a 1", "b 1", "a 0", "c 1", "a 0", "b 1"]);
});

bucket("of the largest count is exact", () => {
  const count = maxCountOf({ seconds: 3_600 });
  const { take } = createTokenBuckets({ count, seconds: 3_600 }, 10, clock);
  assert.equal([take("a").remaining, take("a", count - 1).remaining, take("a").granted], [count - 1, 0, false]);
  now += 1;
  assert.is(take("a").remaining, Math.floor(count / 3_600_000) - 1);
});

bucket("of one limit is none of another's", () => {
  const { take } = limiterOf({ other: { count: 1, seconds: 1 } });
  assert.equal(
    [take("other", "a"), take("other", "a"), take("report-request", "a")].map(({ granted }) => granted),
    [true, false, true],
  );
});

bucket.run();

/** Serves routes while `use` runs. */
async function serving(
  routes: readonly Route[],
  rateLimiter: RateLimiter | null,
  use: (call: Client) => Promise<void>,
): Promise<void> {
  const { call, close: closeServer } = await serveRoutes(routes, { rateLimiter });
  await use(call).finally(closeServer);
}

const limitHeaders = ({ headers }: Answer): readonly (string | undefined)[] =>
  ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after"].map((name) => headers[name]?.toString());
const links = (limit?: RouteLimit): Route =>
  route({
    docs: testRouteDocs,
    method: "post",
    path: `/test/${limit ?? "links"}/:app_name`,
    operation: "manage_tracking_links",
    statuses: { unknownToken: 404 },
    ...(limit === undefined ? {} : { limit }),
    body: { type: "object" },
    handle: async () => ok({}),
  });
const broken = route({
  docs: testRouteDocs,
  method: "post",
  path: "/test/broken",
  operation: "manage_tracking_links",
  handle: async () => {
    throw new Error("broken");
  },
});
const fewCalls = { other: { count: 2, seconds: 60 } };

const call = suite("a limited call");

call("of ingest counts the bytes of its body before it is parsed", () =>
  serving([links("ingest")], limiterOf({ "ingest-bytes": { count: 20, seconds: 60 } }), async (send) => {
    const outcomes = [];
    for (const body of ['{"a":"6789"}', "87654321", "1"]) {
      outcomes.push(outcomeOf(await send("POST", "/test/ingest/shop", { token: "owner", body })));
    }
    assert.equal(outcomes, ["200", "400 VALIDATION_FAILED", "429 RATE_LIMITED"]);
  }),
);

call("gets the state of its limit in headers, and beyond it 429 with Retry-After", () =>
  serving([links()], limiterOf(fewCalls), async (send) => {
    const answers = [];
    for (let sent = 0; sent < 3; sent += 1)
      answers.push(await send("POST", "/test/links/shop", { token: "owner", body: {} }));
    assert.equal(
      answers.map((answer) => [outcomeOf(answer), ...limitHeaders(answer)]),
      [
        ["200", "2", "1", "30", undefined],
        ["200", "2", "0", "60", undefined],
        ["429 RATE_LIMITED", "2", "0", "60", "30"],
      ],
    );
    assert.is(outcomeOf(await send("POST", "/test/links/shop", { token: "in_house", body: {} })), "200");
    now += 30_000;
    assert.is(outcomeOf(await send("POST", "/test/links/shop", { token: "owner", body: {} })), "200");
  }),
);

call("is checked after 401 and before 403, 404 and 400, each of which counts and has the headers", () =>
  serving([links(), broken], limiterOf({ other: { count: 1, seconds: 60 } }), async (send) => {
    const twice = async (path: string, call: Call) => {
      const [first, second] = [await send("POST", path, call), await send("POST", path, call)];
      now += 60_000;
      return [outcomeOf(first), limitHeaders(first)[1], outcomeOf(second)];
    };
    assert.equal(
      [
        await twice("/test/links/shop", {}),
        await twice("/test/links/shop", { token: "nobody" }),
        await twice("/test/links/shop", { token: "sdk", body: {} }),
        await twice("/test/links/cafe", { token: "owner", body: {} }),
        await twice("/test/links/shop", { token: "owner", body: "{" }),
        await twice("/test/broken", { token: "owner", body: {} }),
      ],
      [
        ["401 UNAUTHORIZED", undefined, "401 UNAUTHORIZED"],
        ["404 APP_NOT_FOUND", undefined, "404 APP_NOT_FOUND"],
        ["403 FORBIDDEN", "0", "429 RATE_LIMITED"],
        ["404 APP_NOT_FOUND", "0", "429 RATE_LIMITED"],
        ["400 INVALID_JSON", "0", "429 RATE_LIMITED"],
        ["500 INTERNAL_ERROR", "0", "429 RATE_LIMITED"],
      ],
    );
  }),
);

call(
  "counts against the limit that its route names, ingest by the kind of its token, the operator's against other",
  () =>
    serving(
      [links(), links("link-creation"), links("ingest"), links("report-request"), links("upload-request")],
      limiterOf(),
      async (send) => {
        const limitOf = async (limit: string, token: string) =>
          limitHeaders(await send("POST", `/test/${limit}/shop`, { token, body: {} }))[0];
        assert.equal(
          await Promise.all([
            limitOf("links", "owner"),
            limitOf("link-creation", "link"),
            limitOf("report-request", "owner"),
            limitOf("upload-request", "owner"),
            limitOf("ingest", "owner"),
            limitOf("ingest", "sdk"),
            limitOf("ingest", "web"),
            limitOf("ingest", "operator"),
          ]),
          ["100", "50", "60", "60", "1000", "1000", "1000", "100"],
        );
        assert.equal(
          [
            await send("POST", "/test/ingest/shop", { token: "owner", body: {} }),
            await send("POST", "/test/ingest/shop", { token: "sdk", body: {} }),
          ].map((answer) => limitHeaders(answer).slice(1, 3)),
          [
            ["998", "1"],
            ["998", "1"],
          ],
        );
      },
    ),
);

call("without a valid token counts against its address, one with a valid token does not, whatever is left", () =>
  serving([links()], limiterOf({ anonymous: { count: 3, seconds: 60 } }), async (send) => {
    const sent = async (token?: string) => {
      const answer = await send("POST", "/test/links/shop", { ...(token === undefined ? {} : { token }), body: {} });
      return [outcomeOf(answer), limitHeaders(answer)[3]];
    };
    assert.equal(
      [await sent("owner"), await sent(), await sent("nobody"), await sent(), await sent("nobody"), await sent()],
      [
        ["200", undefined],
        ["401 UNAUTHORIZED", undefined],
        ["404 APP_NOT_FOUND", undefined],
        ["401 UNAUTHORIZED", undefined],
        ["429 RATE_LIMITED", "20"],
        ["429 RATE_LIMITED", "20"],
      ],
    );
    assert.equal(await sent("owner"), ["200", undefined]);
    now += 20_000;
    assert.equal([(await sent())[0], (await sent())[0]], ["401 UNAUTHORIZED", "429 RATE_LIMITED"]);
  }),
);

call("whose token is read for the first time counts only when it is refused", async () => {
  const rateLimiter = limiterOf({ anonymous: { count: 1, seconds: 60 } });
  let found: Principal | "unknown" | "unavailable" = principals.owner;
  const authenticate: RouteDeps["authenticate"] = async (_, admit) => {
    if (!admit()) return "limited";
    if (found === "unavailable") throw new EventLogUnavailable("no");
    return found;
  };
  const served = await serveRoutes([links()], { rateLimiter, authenticate });
  const outcome = async () => outcomeOf(await served.call("POST", "/test/links/shop", { token: "any", body: {} }));
  assert.equal([await outcome(), await outcome()], ["200", "200"]);
  found = "unavailable";
  assert.equal([await outcome(), await outcome()], ["503 SERVICE_UNAVAILABLE", "503 SERVICE_UNAVAILABLE"]);
  found = "unknown";
  assert.equal([await outcome(), await outcome()], ["404 APP_NOT_FOUND", "429 RATE_LIMITED"]);
  await served.close();
});

call("counts against its IPv4 address or the /64 of its IPv6 address, each kind of call by itself", () => {
  const rateLimiter = limiterOf({ anonymous: { count: 1, seconds: 60 } });
  const take = (kind: AnonymousCall, ip: string) =>
    addressBudget(rateLimiter, kind, { ip } as Request).take()?.code ?? null;
  const limited = "RATE_LIMITED.address";
  assert.equal([take("token", "203.0.113.9"), take("token", "203.0.113.9")], [null, limited]);
  assert.equal([take("token", "203.0.113.8"), take("link", "203.0.113.9")], [null, null]);
  assert.equal([take("token", "2001:db8:0:1::1"), take("token", "2001:db8:0:1:ffff::")], [null, limited]);
  assert.is(take("token", "2001:db8:0:2::1"), null);
});

call("is not limited and has no headers when limits are off", () =>
  serving([links()], createRateLimiter("off"), async (send) => {
    for (let sent = 0; sent < 101; sent += 1) {
      const answer = await send("POST", "/test/links/shop", { token: "owner", body: {} });
      assert.equal([outcomeOf(answer), ...limitHeaders(answer)], ["200", undefined, undefined, undefined, undefined]);
    }
  }),
);

call.run();

const events = suite("events of a device");
const path = `/events/v1/apps/${shop.name}/app-events`;
const opened = (id: number, device: string): object => ({
  eventId: `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`,
  eventTimestamp: Date.now(),
  category: "app_open",
  device: { id: device },
});
interface Ingested {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly { readonly index: number; readonly code: string; readonly message: string }[];
  readonly devices: object;
}
const report = async (send: Client, token: string, items: readonly object[]): Promise<Ingested> => {
  const { status, json } = await send("POST", path, { token, body: { events: items } });
  assert.is(status, 202);
  return (json as { readonly data: Ingested }).data;
};
const ingest = (limits: Partial<RateLimits>) => {
  const rateLimiter = limiterOf(limits);
  return { rateLimiter, routes: appEventIngest(createJournals(log), { rateLimiter }) };
};

events("of a device over its limit are rejected by index, other devices' events are accepted", () => {
  const { rateLimiter, routes } = ingest({ "ingest-device": { count: 2, seconds: 60 } });
  return serving(routes, rateLimiter, async (send) => {
    const message = "This device reports too often; send the item again later.";
    // What a phone has saved while it was offline counts once, however much it is.
    const first = await report(send, "sdk", [opened(1, "phone"), opened(2, "phone"), opened(3, "phone")]);
    assert.equal([first.accepted, first.duplicates, first.rejected], [3, 0, []]);
    assert.is((await report(send, "sdk", [opened(4, "phone")])).accepted, 1);

    const over = await report(send, "sdk", [
      opened(5, "phone"),
      opened(6, "tablet"),
      opened(1, "phone"),
      opened(7, "phone"),
    ]);
    assert.equal(
      [over.accepted, over.duplicates, Object.keys(over.devices).sort(), over.rejected],
      [1, 1, ["phone", "tablet"], [0, 3].map((index) => ({ index, code: "RATE_LIMITED", message }))],
    );

    now += 30_000;
    const again = await report(send, "sdk", [opened(5, "phone"), opened(7, "phone")]);
    assert.equal([again.accepted, again.duplicates, again.rejected], [2, 0, []]);
  });
});

events("come in 120 requests a minute from a device, from an owner's token in any number", () => {
  const { rateLimiter, routes } = ingest({});
  return serving(routes, rateLimiter, async (send) => {
    const one = (id: number, token: string) => report(send, token, [opened(id, "watch")]);
    for (let request = 1; request < 120; request += 1) await one(1_000 + request, "sdk");
    const taken = [await one(1_120, "sdk"), await one(1_121, "sdk"), await one(1_121, "owner")];
    assert.equal(
      taken.map(({ accepted, rejected }) => [accepted, rejected.map(({ code }) => code)]),
      [
        [1, []],
        [0, ["RATE_LIMITED"]],
        [1, []],
      ],
    );
  });
});

events("count a request against its token's limit once", () => {
  const { rateLimiter, routes } = ingest({ "ingest-sdk": { count: 1, seconds: 60 } });
  return serving(routes, rateLimiter, async (send) => {
    assert.is((await report(send, "sdk", [opened(3_000, "tv"), opened(3_001, "tv")])).accepted, 2);
    const refused = await send("POST", path, { token: "sdk", body: { events: [opened(3_002, "tv")] } });
    assert.is(outcomeOf(refused), "429 RATE_LIMITED");
  });
});

events.after(close);
events.run();
