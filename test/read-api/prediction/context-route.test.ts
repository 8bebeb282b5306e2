import { suite } from "uvu";
import * as assert from "uvu/assert";
import { causeOf } from "../../../commands/event-metadata.ts";
import type { Journal, Journals } from "../../../commands/journals/journal.ts";
import { createCallRecorder } from "../../../commands/prediction/call-recorder.ts";
import type { RegisteredApp } from "../../../domain/apps/registered-app.ts";
import type { ModelBundle } from "../../../domain/prediction/events.ts";
import type { Identifier } from "../../../domain/prediction/identifier.ts";
import { defaultRateLimits } from "../../../infra/config/rate-limits.ts";
import { EventLogUnavailable, type EventToAppend } from "../../../infra/event-log/event-log.ts";
import { textOf } from "../../../infra/http/i18n/messages.ts";
import { problemOfFailure } from "../../../infra/http/response/problem-of-failure.ts";
import type { RouteDeps } from "../../../infra/http/routing/mount-routes.ts";
import { createRateLimiter } from "../../../infra/http/routing/rate-limiter.ts";
import type { Route } from "../../../infra/http/routing/route.ts";
import { identifierHash } from "../../../projections/facts/app-events/device-aliases.ts";
import type { FoundUser, Probabilities } from "../../../read-api/prediction/context-checks.ts";
import { contextPath, contextRoute } from "../../../read-api/prediction/context-route.ts";
import { shop } from "../../examples/app.ts";
import { anInstallOf, everyFeatureBundle, foundUser, someFeatures, springTouchpoint } from "../../examples/context.ts";
import { servedShop } from "../../support/application.ts";
import type { Answer, Call } from "../../support/raw-client.ts";
import { type ServedRoutes, serveRoutes } from "../../support/served-routes.ts";

const { userId, installId } = anInstallOf;
const scores: Probabilities = { d3_purchase: Math.fround(0.1235), d3_churn: Math.fround(0.75) };

/** Results of the parts behind the route; each test changes what it is about. */
const behind = {
  isActive: true,
  bundle: everyFeatureBundle as ModelBundle | null,
  user: foundUser as FoundUser,
  scores: scores as Probabilities,
  fails: null as { readonly step: "isActive" | "findUser" | "score"; readonly failure: Error } | null,
};
const usual = { ...behind };
let lookedUp: (readonly [RegisteredApp["name"], Identifier])[] = [];
let vectors: Float32Array[] = [];
let outcomes: string[] = [];
let failures: unknown[] = [];
let waits: Parameters<RouteDeps["waitForPosition"]>[] = [];

const anywhere = { position: { commit: 1n, prepare: 1n } };
type Recorded = EventToAppend & { readonly journal: Journal };
let recordedEvents: Recorded[] = [];
const recording: Journals["append"] = async (journal, event) => {
  recordedEvents.push({ ...event, journal });
  return anywhere;
};

function failing(step: NonNullable<typeof behind.fails>["step"]): void {
  if (behind.fails?.step === step) throw behind.fails.failure;
}

const served = (journals: Pick<Journals, "append">, maxOpenCalls?: number): readonly Route[] => {
  const record = createCallRecorder(journals);
  return [
    contextRoute({
      ...(maxOpenCalls === undefined ? {} : { maxOpenCalls }),
      isActive: async () => {
        failing("isActive");
        return behind.isActive;
      },
      servedBundle: () => behind.bundle,
      findUser: async (app, identifier) => {
        failing("findUser");
        lookedUp.push([app.name, identifier]);
        return behind.user;
      },
      score: async (_bundleId, vector) => {
        failing("score");
        vectors.push(vector);
        return behind.scores;
      },
      hashOf: identifierHash,
      record: (event, caller) => record(event, causeOf(caller)),
      recordLater: (event, caller) => void record(event, causeOf(caller)).catch(() => {}),
      isUnavailable: (failure) => problemOfFailure(failure).status === 503,
      failed: (failure) => failures.push(failure),
      observeOutcome: (code) => outcomes.push(code),
    }),
  ];
};

const context = suite(`POST ${contextPath}`);
let server: ServedRoutes;

context.before(async () => {
  const waitForPosition = async (...wait: Parameters<RouteDeps["waitForPosition"]>): Promise<boolean> => {
    waits.push(wait);
    return wait[1] <= 100n;
  };
  server = await serveRoutes(served({ append: recording }), { waitForPosition });
});
context.after(() => server.close());
context.before.each(() => {
  Object.assign(behind, usual);
  [lookedUp, vectors, outcomes, failures, recordedEvents, waits] = [[], [], [], [], [], []];
});

const call = (body: unknown, more: Call = {}): Promise<Answer> =>
  server.call("POST", contextPath, { token: "sdk", body, ...more });
const lastRecorded = () => {
  const last = recordedEvents.at(-1);
  return { type: last?.type, data: last?.data, actor: last?.metadata.actor, journal: last?.journal };
};
const hashed = ({ kind, value }: Identifier) => ({ kind, hash: identifierHash(servedShop.salt, kind, value) });
const requestIdShape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

context("returns the attribution and both predictions after the call was recorded", async () => {
  const { status, headers, json } = await call({ serviceExternalUserId: "\u3000 customer 7\n" });
  const requestId = String(headers["x-request-id"]);
  assert.match(requestId, requestIdShape);
  assert.is(status, 200);
  assert.equal(json, {
    requestId,
    appId: shop.appId,
    user: { id: "customer 7", type: "service_external_user_id" },
    context: { lastTouchpoint: springTouchpoint },
    predictions: { d3_purchase: { probability: 0.124, tier: "low" }, d3_churn: { probability: 0.75, tier: "high" } },
  });
  const identifier = { kind: "service_external_user_id", value: "customer 7" } as const;
  assert.equal(lookedUp, [["shop", identifier]]);
  assert.equal(vectors, [Float32Array.from(Object.values(someFeatures))]);
  assert.equal(lastRecorded(), {
    journal: { category: "contextCalls", appId: shop.appId },
    type: "ContextAnswered",
    data: {
      requestId,
      appId: shop.appId,
      tokenId: "id-of-sdk",
      identifier: hashed(identifier),
      userId,
      installId,
      lastTouchpoint: springTouchpoint,
      bundleId: "spring",
      features: someFeatures,
      predictions: {
        d3_purchase: { probability: scores.d3_purchase, tier: "low" },
        d3_churn: { probability: scores.d3_churn, tier: "high" },
      },
    },
    actor: { kind: "token", tokenId: "id-of-sdk", role: "sdk" },
  });
  assert.equal(outcomes, ["OK"]);
});

for (const [field, type] of [
  ["userId", "service_generated_uuid"],
  ["partnerDeviceId", "partner_device_id"],
  ["serviceExternalUserId", "service_external_user_id"],
] as const) {
  context(`${field} is a ${type}, trimmed`, async () => {
    const { json } = await call({ [field]: " A B " });
    assert.equal((json as { user: unknown }).user, { id: "A B", type });
  });
}

context("the last touchpoint is null while the install is undecided", async () => {
  behind.user = { ...foundUser, lastTouchpoint: null };
  const { status, json } = await call({ userId });
  assert.equal([status, (json as { context: unknown }).context], [200, { lastTouchpoint: null }]);
});

/** Asserts a refusal's whole body, its status, and that it is recorded or not. */
async function refused(
  answer: Promise<Answer>,
  status: number,
  code: string,
  retryable: boolean,
  recordedWith: object | null,
): Promise<Answer> {
  const before = recordedEvents.length;
  const response = await answer;
  const requestId = String(response.headers["x-request-id"]);
  assert.match(requestId, requestIdShape);
  const { error, ...rest } = response.json as { error: { message: string } };
  assert.equal([response.status, rest], [status, { requestId }]);
  assert.equal(error, { code, message: error.message, retryable });
  assert.ok(error.message.length > 0);
  assert.is(response.headers["retry-after"] !== undefined, status === 503);
  if (recordedWith === null) assert.is(recordedEvents.length, before);
  else {
    const { type, data } = lastRecorded();
    const unknown = { identifier: null, userId: null, installId: null, bundleId: null, features: null };
    const of = { requestId, appId: shop.appId, tokenId: "id-of-sdk", code };
    assert.equal({ type, data }, { type: "ContextRefused", data: { ...of, ...unknown, ...recordedWith } });
  }
  return response;
}

context("a caller who lacks the permission is 401, before the body is read", async () => {
  const { headers } = await refused(call("{", { token: "owner" }), 401, "UNAUTHORIZED", false, null);
  assert.is(headers["www-authenticate"], "Bearer");
  await refused(server.call("POST", contextPath, { body: "{" }), 401, "UNAUTHORIZED", false, null);
});

const bodyOf = (bytes: number): string => JSON.stringify({ userId: "x".repeat(bytes - '{"userId":""}'.length) });
context("a body has at most 16 KiB", async () => {
  assert.is((await call(bodyOf(16_384))).status, 200);
  await refused(call(bodyOf(16_385)), 413, "PAYLOAD_TOO_LARGE", false, {});
});

const notJson: readonly (readonly [string, unknown, Call])[] = [
  ["incomplete", '{"userId":', {}],
  ["empty", "", {}],
  ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), {}],
  ["nested 8,000 deep", "[".repeat(8_000) + "]".repeat(8_000), {}],
  ["of another media type", { userId }, { headers: { "Content-Type": "text/plain" } }],
  ["a form", "userId=1", { headers: { "Content-Type": "application/x-www-form-urlencoded" } }],
  ["in another character set", { userId }, { headers: { "Content-Type": "application/json; charset=latin1" } }],
  ["compressed", { userId }, { headers: { "Content-Encoding": "gzip" } }],
];
for (const [what, body, more] of notJson) {
  context(`a body that is ${what} is INVALID_JSON`, () =>
    refused(call(body, more), 400, "INVALID_JSON", false, {}).then(),
  );
}

const notValid: readonly (readonly [string, unknown])[] = [
  ["without an identifier", {}],
  ["with two", { userId: "a", partnerDeviceId: "b" }],
  ["with an unknown property", { userId: "a", extra: 1 }],
  ["with an empty value", { userId: "" }],
  ["with white space of Unicode alone", { userId: " \t\u0085\u00a0\u2003\u3000" }],
  ["with a number", { userId: 7 }],
  ["with null", { userId: null }],
  ["with a list", { userId: ["a"] }],
  ["with U+0000", { userId: "a\0" }],
  ["with a lone surrogate", '{"userId":"\\ud800"}'],
  ["with an own __proto__", '{"__proto__":"a"}'],
  ["that names a field twice", '{"userId":"a","userId":"b"}'],
  ["that is a list", ["a"]],
  ["that is null", "null"],
];
for (const [what, body] of notValid) {
  context(`a body ${what} is VALIDATION_ERROR`, () => refused(call(body), 422, "VALIDATION_ERROR", false, {}).then());
}

context("a missing Content-Type is read as JSON, and a comma inside a text is no second field", async () => {
  assert.is((await call('{ "userId" : "a, {\\"b\\": [1]}" }')).status, 200);
});

const identifier = hashed({ kind: "service_generated_uuid", value: userId });
const bundleId = "spring";

context("is CONTEXT_INACTIVE while it is switched off, whatever else is wrong", async () => {
  Object.assign(behind, { isActive: false, bundle: null, user: { outcome: "unknown" } });
  await refused(call({ userId }), 409, "CONTEXT_INACTIVE", false, { identifier });
});

context("is CONTEXT_UNAVAILABLE without a bundle, before the user is looked up", async () => {
  Object.assign(behind, { bundle: null, user: { outcome: "unknown" } });
  const { json } = await refused(call({ userId }), 503, "CONTEXT_UNAVAILABLE", true, { identifier });
  assert.is(
    (json as { error: { message: string } }).error.message,
    textOf({ code: "CONTEXT_UNAVAILABLE.bundle" }, "en"),
  );
  assert.equal(lookedUp, []);
});

for (const name of ["d3_purchase", "d3_churn"] as const) {
  context(`a bundle without valid cut points of ${name} is CONTEXT_UNAVAILABLE`, async () => {
    const models = { ...everyFeatureBundle.models, [name]: { ...everyFeatureBundle.models[name], cutPoints: [0.5] } };
    Object.assign(behind, { bundle: { ...everyFeatureBundle, models }, user: { outcome: "unknown" } });
    const { json } = await refused(call({ userId }), 503, "CONTEXT_UNAVAILABLE", true, { identifier, bundleId });
    assert.is(
      (json as { error: { message: string } }).error.message,
      textOf({ code: "CONTEXT_UNAVAILABLE.bundle" }, "en"),
    );
    assert.equal(lookedUp, []);
  });
}

const users: readonly (readonly [FoundUser, number, string, object])[] = [
  [{ outcome: "unknown" }, 404, "CONTEXT_DATA_NOT_FOUND", {}],
  [{ outcome: "shared" }, 409, "IDENTIFIER_CONFLICT", {}],
  [{ outcome: "no_install", userId }, 404, "CONTEXT_DATA_NOT_FOUND", { userId }],
];
for (const [user, status, code, known] of users) {
  context(`a user that is ${user.outcome} is ${code}`, async () => {
    behind.user = user;
    await refused(call({ userId }), status, code, false, { identifier, bundleId, ...known });
  });
}

const firstTooLarge = 3.4028235677973366e38;
const largest = 3.4028235677973362e38;
context("a feature beyond float32 is CONTEXT_FEATURE_INVALID, and no model scores it", async () => {
  for (const value of [firstTooLarge, -firstTooLarge]) {
    const features = { ...someFeatures, install_value: value };
    behind.user = { ...foundUser, features };
    const known = { identifier, bundleId, userId, installId, features };
    await refused(call({ userId }), 500, "CONTEXT_FEATURE_INVALID", false, known);
  }
  assert.equal(vectors, []);
});

context("the largest float32, and a larger feature that is no input of the bundle, are scored", async () => {
  behind.user = { ...foundUser, features: { ...someFeatures, install_value: largest } };
  assert.is((await call({ userId })).status, 200);
  behind.user = { ...foundUser, features: { ...someFeatures, install_value: firstTooLarge } };
  behind.bundle = { ...everyFeatureBundle, features: ["click_count"] };
  assert.is((await call({ userId })).status, 200);
});

const secret = "select * from secrets";
const knownBy = {
  isActive: { identifier },
  findUser: { identifier, bundleId },
  score: { identifier, bundleId, userId, installId, features: someFeatures },
};
for (const step of ["isActive", "findUser", "score"] as const) {
  context(`a store that is unavailable at ${step} is CONTEXT_UNAVAILABLE`, async () => {
    behind.fails = { step, failure: new EventLogUnavailable(secret) };
    const { text } = await refused(call({ userId }), 503, "CONTEXT_UNAVAILABLE", true, knownBy[step]);
    assert.not.match(text, /select/);
    assert.is(failures.length, 1);
  });

  context(`a failure at ${step} is INTERNAL_ERROR, without its message`, async () => {
    behind.fails = { step, failure: new Error(secret) };
    const { text } = await refused(call({ userId }), 500, "INTERNAL_ERROR", true, knownBy[step]);
    assert.not.match(text, /select/);
  });
}

interface Handling {
  readonly routes?: readonly Route[];
  readonly untilOwnWriteSeen?: (() => Promise<boolean>) | null;
}

/** Handles one call with its own journals and clock; returns the status. */
async function handled(
  append: Journals["append"],
  elapsedMs: () => number,
  { routes = served({ append }), untilOwnWriteSeen = null }: Handling = {},
): Promise<number | undefined> {
  const reply = await routes[0]?.handle({
    principal: { kind: "token", tokenId: "id-of-sdk", tokenKind: "sdk", role: null, appId: shop.appId, channels: [] },
    app: servedShop,
    params: {},
    query: undefined,
    body: { userId } as never,
    requestId: "0195e7a0-0000-7000-8000-000000000001",
    commandId: "0195e7a0-0000-7000-8000-000000000001",
    ip: null,
    userAgent: null,
    receivedAt: "2026-01-01T00:00:00.000Z",
    firstReceivedAt: "2026-01-01T00:00:00.000Z",
    untilOwnWriteSeen,
    elapsedMs,
    language: "en",
  });
  return reply?.kind === "ok" ? reply.status : undefined;
}

context("X-Min-Position waits half a second for the facts, and is refused if it is none", async () => {
  const at = (position: string) => call({ userId }, { headers: { "X-Min-Position": position } });
  assert.is((await at("100")).status, 200);
  await refused(at("101"), 503, "CONTEXT_UNAVAILABLE", true, {});
  assert.equal(waits, [
    ["facts", 100n, 500],
    ["facts", 101n, 500],
  ]);
  const ofPosition = await refused(at("-1"), 422, "VALIDATION_ERROR", false, {});
  const ofBody = await refused(call({}), 422, "VALIDATION_ERROR", false, {});
  const messages = [ofPosition, ofBody].map(({ json }) => (json as { error: { message: string } }).error.message);
  assert.is(new Set(messages).size, 2);
});

for (const outcome of ["unknown", "no_install"] as const) {
  context(`a user who is ${outcome} is looked up again once the facts have the caller's last write`, async () => {
    behind.user = { outcome, userId } as FoundUser;
    const isThere = async (): Promise<boolean> => {
      behind.user = foundUser;
      return true;
    };
    const statusWith = (untilOwnWriteSeen: NonNullable<Handling["untilOwnWriteSeen"]> | null) =>
      handled(recording, () => 0, { untilOwnWriteSeen });
    assert.is(await statusWith(null), 404);
    assert.is(await statusWith(async () => false), 503);
    assert.is(await statusWith(isThere), 200);
    assert.equal(outcomes, ["CONTEXT_DATA_NOT_FOUND", "CONTEXT_UNAVAILABLE", "OK"]);
  });
}

context("the time limit starts when the body has arrived", async () => {
  assert.is(
    await handled(
      () => new Promise((resolve) => setTimeout(resolve, 20, anywhere)),
      () => 0,
    ),
    200,
  );
});

context("a record that is too late is followed by the record of the refusal", async () => {
  const recorded: EventToAppend[] = [];
  const append: Journals["append"] = (_journal, event) => {
    recorded.push(event);
    return new Promise(() => {});
  };
  const clock = [0, 949];
  assert.is(await handled(append, () => clock.shift() ?? 949), 503);
  const known = { identifier, userId, installId, bundleId, features: someFeatures };
  const of = { requestId: "0195e7a0-0000-7000-8000-000000000001", appId: shop.appId, tokenId: "id-of-sdk" };
  assert.equal(
    recorded.map(({ type }) => type),
    ["ContextAnswered", "ContextRefused"],
  );
  assert.equal(recorded[1]?.data, { ...of, ...known, code: "CONTEXT_LOG_UNAVAILABLE" });
  assert.not.equal(recorded[0]?.id, recorded[1]?.id);
});

context("calls beyond the maximum are SERVING_UNAVAILABLE at once", async () => {
  const release: (() => void)[] = [];
  const append: Journals["append"] = () => new Promise((resolve) => release.push(() => resolve(anywhere)));
  const routes = served({ append }, 2);
  const calls = [1, 2].map(() => handled(append, () => 0, { routes }));
  assert.is(await handled(append, () => 0, { routes }), 503);
  while (release.length < 2) await new Promise((resolve) => setImmediate(resolve));
  for (const one of release) one();
  assert.equal(await Promise.all(calls), [200, 200]);
  const again = handled(append, () => 0, { routes });
  while (release.length < 3) await new Promise((resolve) => setImmediate(resolve));
  release[2]?.();
  assert.is(await again, 200);
  assert.equal(outcomes, ["SERVING_UNAVAILABLE", "OK", "OK", "OK"]);
});

context("messages are in the caller's language", async () => {
  behind.isActive = false;
  const { headers, json } = await call({ userId }, { headers: { "Accept-Language": "ko" } });
  assert.is(headers["content-language"], "ko");
  assert.is((json as { error: { message: string } }).error.message, textOf({ code: "CONTEXT_INACTIVE" }, "ko"));
});

context("records neither the identifier nor the token as sent", async () => {
  await call({ partnerDeviceId: "very-secret-device" });
  assert.is(recordedEvents.length, 1);
  assert.not.match(JSON.stringify(recordedEvents), /very-secret-device|Bearer/);
});

context("beyond the rate limit is 503 SERVING_UNAVAILABLE, not 429, and is not recorded", async () => {
  behind.isActive = false;
  const rateLimiter = createRateLimiter({ ...defaultRateLimits, context: { count: 2, seconds: 3_600 } });
  const limited = await serveRoutes(served({ append: recording }), { rateLimiter });
  try {
    const send = () => limited.call("POST", contextPath, { token: "sdk", body: { userId } });
    const answers = [await send(), await send(), await send()];
    assert.equal(
      answers.map(({ status }) => status),
      [409, 409, 503],
    );
    assert.is(recordedEvents.length, 2);
    const { headers = {}, json } = answers[2] ?? {};
    const { code, retryable } = (json as { error: { code: string; retryable: boolean } }).error;
    assert.equal([code, retryable], ["SERVING_UNAVAILABLE", true]);
    assert.ok(Number(headers["retry-after"]) > 0);
    assert.equal([headers["ratelimit-limit"], headers["ratelimit-remaining"]], ["2", "0"]);
  } finally {
    await limited.close();
  }
});

context("beyond the address limit is 503 SERVING_UNAVAILABLE too, with a valid token never", async () => {
  behind.isActive = false;
  const rateLimiter = createRateLimiter({ ...defaultRateLimits, anonymous: { count: 1, seconds: 3_600 } });
  const limited = await serveRoutes(served({ append: recording }), { rateLimiter });
  try {
    const outcome = async (token: string) => {
      const { status, headers, json } = await limited.call("POST", contextPath, { token, body: { userId } });
      return [status, (json as { error: { code: string } }).error.code, headers["retry-after"]];
    };
    assert.equal(
      [await outcome("nobody"), await outcome("nobody"), await outcome("sdk")],
      [
        [401, "UNAUTHORIZED", undefined],
        [503, "SERVING_UNAVAILABLE", "3600"],
        [409, "CONTEXT_INACTIVE", undefined],
      ],
    );
  } finally {
    await limited.close();
  }
});

context("without an event store is CONTEXT_LOG_UNAVAILABLE, also when it would be refused", async () => {
  const append = () => Promise.reject(new EventLogUnavailable("gone"));
  const unavailable = await serveRoutes(served({ append }));
  try {
    for (const body of [{ userId }, {}]) {
      const { status, json } = await unavailable.call("POST", contextPath, { token: "sdk", body });
      const { code, retryable } = (json as { error: { code: string; retryable: boolean } }).error;
      assert.equal([status, code, retryable], [503, "CONTEXT_LOG_UNAVAILABLE", true]);
    }
    assert.is(failures.length, 2);
  } finally {
    await unavailable.close();
  }
});

context.run();
