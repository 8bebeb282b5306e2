// time limit: 180 s
import { randomUUID } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { manifest, modelFiles, sha256Of } from "../examples/model-bundles.ts";
import { logisticModel } from "../examples/onnx-models.ts";
import { registerBundle, serveSpringBundle } from "../examples/served-bundle.ts";
import { runProgram } from "../support/command-line.ts";
import { runShop } from "../support/running-shop.ts";
import { type Called, callContext, happen, pause, untilDecided } from "./context-calls.ts";

const shop = await runShop();
const scenario = suite("context prediction on a running instance");
scenario.after(shop.end);

const call = (body: object): Promise<Called> => callContext(shop.application, shop.tokens.sdk, body);
const admin = (method: "GET" | "POST" | "PUT", path: string, body?: object) =>
  shop.application.operator.send(method, `/admin/v1/${path}`, body) as Promise<{ data: never }>;
const replayed = async (requestId: string): Promise<boolean> => {
  const { data } = await admin("POST", `apps/shop/context-calls/${requestId}/replay`);
  return (data as { bitEqual: boolean }).bitEqual;
};

let userId = "";
let first: Called;

scenario("calls fail before a bundle is active", async () => {
  const { status, body } = await call({ userId: randomUUID() });
  assert.equal([status, body.error?.code], [503, "CONTEXT_UNAVAILABLE"]);
  await serveSpringBundle(shop.application);
  const active = await call({ userId: randomUUID() });
  assert.equal([active.status, active.body.error?.code], [404, "CONTEXT_DATA_NOT_FOUND"]);
});

scenario("a click, an install and its user's ids give one response, by any of the three", async () => {
  const touchpointId = randomUUID();
  const touchpoint = { touchpointId, kind: "click", timestamp: new Date(Date.now() - 60_000).toISOString() };
  const source = { channel: "partner", campaignParams: { campaign: "spring", ad_group: "shoes" }, deviceId: "phone" };
  await shop.application
    .client(shop.tokens.api)
    .send("POST", "/events/v1/apps/shop/touchpoints", { touchpoints: [{ ...touchpoint, ...source }] });
  const install = await happen(shop.application, shop.tokens.sdk, "app_install", "phone");
  userId = install.userId;
  const user = { externalUserId: "customer 7", partnerDeviceId: "partner-1" };
  const { position } = await happen(shop.application, shop.tokens.sdk, "app_sign_up", "phone", { user });
  await untilDecided(shop.application, install.eventId, position);

  first = await call({ userId: userId.toUpperCase() });
  const lastTouchpoint = { channel: "partner", campaign: "spring", adGroup: "shoes", adCreative: null, term: null };
  assert.equal([first.status, first.body.context], [200, { lastTouchpoint }]);
  for (const body of [{ partnerDeviceId: "partner-1" }, { serviceExternalUserId: " customer 7 " }]) {
    const { status, body: answer } = await call(body);
    assert.equal([status, answer.context, answer.predictions], [200, { lastTouchpoint }, first.body.predictions]);
  }
});

scenario("an install is found by who has just sent it", async () => {
  for (let number = 0; number < 20; ) {
    const { userId: ownId } = await happen(shop.application, shop.tokens.sdk, "app_install", `phone ${number}`);
    const { status, body } = await call({ userId: ownId });
    // A busy machine may take longer than a call waits.
    if (body.error?.code === "CONTEXT_UNAVAILABLE" || body.error?.code === "CONTEXT_LOG_UNAVAILABLE") continue;
    assert.is(status, 200, JSON.stringify(body));
    number += 1;
  }
});

scenario("a call is found by its request id at once, and computed again bit by bit", async () => {
  const { requestId } = await call({ userId });
  const { data } = await admin("GET", `apps/shop/context-calls/${requestId}`);
  const { userId: recorded, bundleId } = (data as { call: { userId: string; bundleId: string } }).call;
  assert.equal([recorded, bundleId], [userId, manifest.bundleId]);
  assert.is(await replayed(requestId), true);
});

scenario("a newer bundle takes over at once, and calls of the former can still be replayed", async () => {
  const model = logisticModel([1, 0, 0], 3);
  const models = {
    d3_purchase: { ...manifest.models.d3_purchase, sha256: sha256Of(model) },
    d3_churn: manifest.models.d3_churn,
  };
  await registerBundle(shop.application, { ...manifest, bundleId: "spring-2", models }, [
    [models.d3_purchase.file, model],
    [models.d3_churn.file, modelFiles.d3_churn],
  ]);
  await admin("PUT", "apps/shop/model-bundle", { bundleId: "spring-2" });
  const next = await call({ userId });
  assert.is(next.status, 200);
  assert.not.equal(next.body.predictions, first.body.predictions);
  assert.equal([await replayed(first.requestId), await replayed(next.requestId)], [true, true]);
});

scenario("every call before a kill -9 is in the log, and replayed after it and after a rebuild", async () => {
  const answered: Called[] = [];
  const calling = Array.from({ length: 8 }, async () => {
    for (let count = 0; count < 40; count += 1) {
      const called = await call(count % 4 === 3 ? { userId: randomUUID() } : { userId }).catch(() => null);
      if (called === null) return;
      answered.push(called);
    }
  });
  while (answered.length < 60) await pause();
  await Promise.all([shop.restart(), ...calling]);

  const kept = answered.filter(({ status }) => status === 200 || status === 404);
  assert.ok(kept.length >= 60, `${kept.length} were answered`);
  for (const { requestId, status } of kept) {
    const { data } = await admin("GET", `apps/shop/context-calls/${requestId}`);
    assert.is((data as { call: { outcome: string } }).call.outcome, status === 200 ? "answered" : "refused");
  }
  const scored = kept.filter(({ status }) => status === 200).slice(-3);
  for (const { requestId } of [first, ...scored]) assert.is(await replayed(requestId), true);

  const environment = { DATA_DIR: shop.data, LOG_LEVEL: "warn" };
  assert.is((await runProgram(["projection", "rebuild", "--all"], environment)).code, 0);
  for (const { requestId } of [first, ...scored]) assert.is(await replayed(requestId), true);
  assert.is((await runProgram(["verify"], environment)).code, 0);
  assert.equal(
    (await call({ userId })).body.predictions,
    answered.findLast(({ status }) => status === 200)?.body.predictions,
  );
});

scenario("switched off it is CONTEXT_INACTIVE, and switched on it works again", async () => {
  await admin("PUT", "apps/shop/context", { active: false });
  const off = await call({ userId });
  assert.equal([off.status, off.body.error?.code], [409, "CONTEXT_INACTIVE"]);
  await admin("PUT", "apps/shop/context", { active: true });
  assert.is((await call({ userId })).status, 200);
});

scenario.run();
