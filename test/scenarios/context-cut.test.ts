// time limit: 120 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { serveSpringBundle } from "../examples/served-bundle.ts";
import { startBreakableProxy } from "../support/breakable-proxy.ts";
import { runShop } from "../support/running-shop.ts";
import { type Called, callContext, happen, pause, untilDecided } from "./context-calls.ts";
import { runSeparateStore } from "./separate-store.ts";

/** What the event store, the reading of its streams and Postgres take until they give up, in milliseconds: 2,500 and more. */
const othersGiveUpAfter = 2_500;
const secretIdentifier = "secret-identifier-of-nobody";

const cut = suite("context calls while a store does not respond");
const separate = await runSeparateStore();
const { store } = separate;
const postgres = await startBreakableProxy(separate.environment.DATABASE_URL);
const shop = await runShop({
  ...separate.environment,
  ...{ DATABASE_URL: postgres.connectionString, ROLES: "api,worker", LOG_LEVEL: "trace" },
});
const { application, tokens } = shop;
await serveSpringBundle(application);
const { userId, ...install } = await happen(application, tokens.sdk, "app_install", "phone");
await untilDecided(application, install.eventId, install.position);
cut.after(async () => {
  postgres.resume();
  store.thaw();
  await shop.end();
  await separate.end();
  await postgres.close();
});

const call = (body: object = { userId }) => callContext(application, tokens.sdk, body);

/** Calls until an answer has the code and came before any store would have given up. A busy machine may record too late. */
async function callUntil(code: string, body?: object): Promise<Called> {
  for (;;) {
    const since = performance.now();
    const called = await call(body);
    const inTime = performance.now() - since < othersGiveUpAfter;
    if (inTime && (called.status === 200 ? "OK" : called.body.error?.code) === code) return called;
    await pause();
  }
}

cut("are CONTEXT_UNAVAILABLE while Postgres hangs, recorded as that, and go on when it is back", async () => {
  await callUntil("OK");
  postgres.stall();
  const refused = await callUntil("CONTEXT_UNAVAILABLE");
  await callUntil("CONTEXT_UNAVAILABLE", { serviceExternalUserId: secretIdentifier });
  postgres.resume();
  await callUntil("OK");
  const { data } = (await application.operator.send(
    "GET",
    `/admin/v1/apps/shop/context-calls/${refused.requestId}`,
  )) as {
    data: { call: { outcome: string; code: string } };
  };
  assert.equal([data.call.outcome, data.call.code], ["refused", "CONTEXT_UNAVAILABLE"]);
});

cut("are CONTEXT_LOG_UNAVAILABLE while the event store hangs, and then AUTHENTICATION_UNAVAILABLE", async () => {
  await callUntil("OK");
  store.freeze();
  await callUntil("CONTEXT_LOG_UNAVAILABLE");
  // A token that was checked is believed for a while.
  await callUntil("AUTHENTICATION_UNAVAILABLE");
  store.thaw();
  await callUntil("OK");
});

cut("leave neither a token nor an identifier in any line that is logged, nor in a metric", async () => {
  await callUntil("CONTEXT_DATA_NOT_FOUND", { serviceExternalUserId: secretIdentifier });
  const metrics = await (await fetch(`${application.run.baseUrl}/metrics`)).text();
  assert.match(metrics, /^context_calls_total\{code="CONTEXT_DATA_NOT_FOUND"\} \d+$/m);
  for (const written of [application.output(), metrics]) {
    for (const secret of [secretIdentifier, tokens.sdk, userId]) assert.is(written.includes(secret), false);
  }
});

cut.run();
