// time limit: 120 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { serveSpringBundle } from "../examples/served-bundle.ts";
import { runShop } from "../support/running-shop.ts";
import { startStallingProxy } from "../support/stalling-proxy.ts";
import { callContext, happen, pause, untilDecided } from "./context-calls.ts";
import { runSeparateStore } from "./separate-store.ts";

/** What the event store, the reading of its streams and Postgres take until they give up, in milliseconds: 2,500 and more. */
const othersGiveUpAfter = 2_500;
const secretIdentifier = "secret-identifier-of-nobody";

const cut = suite("context calls while a store does not answer");
const separate = await runSeparateStore();
const { store } = separate;
const postgres = await startStallingProxy(separate.environment.DATABASE_URL);
const shop = await runShop({
  ...separate.environment,
  ...{ DATABASE_URL: postgres.connectionString, ROLES: "api,worker", LOG_LEVEL: "trace" },
});
const { application, tokens } = shop;
await serveSpringBundle(application);
const { userId, ...install } = await happen(application, tokens.sdk, "app_install", "phone");
await untilDecided(application, install.eventId, install.position);
cut.after(async () => {
  postgres.goOn();
  store.thaw();
  await shop.end();
  await separate.end();
  await postgres.close();
});

const call = (body: object = { userId }) => callContext(application, tokens.sdk, body);

/** The code of a call that is answered before any store would have given up. */
async function codeOf(body?: object): Promise<string | undefined> {
  const since = performance.now();
  const { status, body: answer } = await call(body);
  assert.ok(performance.now() - since < othersGiveUpAfter, "it was answered too late");
  return status === 200 ? "OK" : answer.error?.code;
}

async function untilAnswered(): Promise<void> {
  while ((await call()).status !== 200) await pause();
}

cut("are CONTEXT_UNAVAILABLE while Postgres hangs, recorded as that, and go on when it is back", async () => {
  assert.is(await codeOf(), "OK");
  postgres.stall();
  const refused = await call();
  assert.is(refused.body.error?.code, "CONTEXT_UNAVAILABLE");
  assert.is(await codeOf({ serviceExternalUserId: secretIdentifier }), "CONTEXT_UNAVAILABLE");
  postgres.goOn();
  await untilAnswered();
  const { data } = (await application.operator.send(
    "GET",
    `/admin/v1/apps/shop/context-calls/${refused.requestId}`,
  )) as {
    data: { call: { outcome: string; code: string } };
  };
  assert.equal([data.call.outcome, data.call.code], ["refused", "CONTEXT_UNAVAILABLE"]);
});

cut("are CONTEXT_LOG_UNAVAILABLE while the event store hangs, and then AUTHENTICATION_UNAVAILABLE", async () => {
  assert.is(await codeOf(), "OK");
  store.freeze();
  assert.is(await codeOf(), "CONTEXT_LOG_UNAVAILABLE");
  // A token that was checked is believed for a while.
  let code = await codeOf();
  while (code === "CONTEXT_LOG_UNAVAILABLE") {
    await pause();
    code = await codeOf();
  }
  assert.is(code, "AUTHENTICATION_UNAVAILABLE");
  store.thaw();
  await untilAnswered();
});

cut("leave neither a token nor an identifier in any line that is logged, nor in a metric", async () => {
  assert.is(await codeOf({ serviceExternalUserId: secretIdentifier }), "CONTEXT_DATA_NOT_FOUND");
  const metrics = await (await fetch(`${application.run.baseUrl}/metrics`)).text();
  assert.match(metrics, /^context_calls_total\{code="CONTEXT_DATA_NOT_FOUND"\} 1$/m);
  for (const written of [application.output(), metrics]) {
    for (const secret of [secretIdentifier, tokens.sdk, userId]) assert.is(written.includes(secret), false);
  }
});

cut.run();
