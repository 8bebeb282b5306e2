import { suite } from "uvu";
import * as assert from "uvu/assert";
import { webhookRoutes } from "../../../commands/webhooks/routes.ts";
import { webhooksStream } from "../../../domain/streams.ts";
import { webhookRouteDeps } from "../../../infra/composition/webhooks.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { outcomeOf, serveRoutes } from "../../support/served-routes.ts";
import { errorsOf } from "../../support/short-faults.ts";
import { isSignedWith, startReceiver } from "../../support/webhook-receiver.ts";
import { startWebhookApplication, webhooksPath } from "./webhook-application.ts";

const application = await startWebhookApplication();
const { call, clock, createWebhook, finishUpload, later, runUntil, send } = application;
const receiver = await startReceiver();
const { requests } = receiver;
const url = "https://hooks.shop.example/touchledger";
const unknown = `${webhooksPath}/${exampleUuid("unknown", 1)}`;

const routes = suite("the routes of webhooks");
routes.before.each(async () => {
  requests.length = 0;
  await application.deleteWebhooks();
});
routes.after(async () => {
  await application.close();
  await receiver.close();
});

routes("create, list, change and delete webhooks, and show a secret once", async () => {
  const created = await call("POST", webhooksPath, { token: "owner", body: { url, types: ["upload.finished"] } });
  const { secret, ...webhook } = (created.json as { data: { webhook: { id: string; secret: string } } }).data.webhook;
  assert.is(created.status, 201);
  assert.match(secret, /^whsec_[\w+/]{43}=$/);
  const expected = {
    ...{ id: webhook.id, url, types: ["upload.finished"], description: null },
    ...{ enabled: true, disabledReason: null, failingSince: null },
  };
  const { createdAt, ...rest } = webhook as typeof webhook & { createdAt: string };
  assert.equal(rest, expected);
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
  const path = `${webhooksPath}/${webhook.id}`;
  assert.equal((await send("GET", path)).data, { webhook });
  assert.equal((await send("GET", webhooksPath)).data, { totalCount: 1, webhooks: [webhook] });

  const changes = { types: ["report.finished", "export.finished"], description: "Warehouse", enabled: false };
  const after = { ...webhook, ...changes, disabledReason: "requested" };
  assert.equal((await send("PATCH", path, changes)).data, { webhook: after });
  assert.equal((await send("GET", path)).data, { webhook: after });

  const facts = JSON.stringify(await application.facts(webhooksStream(1)));
  assert.not.match(facts, /whsec_/);
  assert.not.ok(facts.includes(secret.slice("whsec_".length)));
  assert.is((await send("DELETE", path)).status, 204);
  for (const [method, gone] of [
    ...([
      ["GET", path],
      ["PATCH", path],
      ["DELETE", path],
      ["POST", `${path}/test`],
    ] as const),
    ...([
      ["GET", `${path}/deliveries`],
      ["GET", unknown],
      ["GET", `${webhooksPath}/1`],
    ] as const),
  ]) {
    const body = method === "PATCH" ? { body: { enabled: true } } : {};
    assert.is(outcomeOf(await call(method, gone, { token: "owner", ...body })), "404 WEBHOOK_NOT_FOUND", gone);
  }
});

routes("refuse the webhooks of another app, and a 21st", async () => {
  const { id } = await createWebhook(url);
  const other = { token: "other_owner" };
  const path = `/admin/v1/apps/other_shop/webhooks/${id}`;
  assert.is(outcomeOf(await call("GET", path, other)), "404 WEBHOOK_NOT_FOUND");
  assert.is(outcomeOf(await call("DELETE", path, other)), "404 WEBHOOK_NOT_FOUND");
  assert.is(outcomeOf(await call("GET", `${path}/deliveries`, other)), "404 WEBHOOK_NOT_FOUND");
  for (let count = 1; count < 20; count += 1) await createWebhook(url);
  const more = { token: "owner", body: { url, types: ["upload.finished"] } };
  assert.is(outcomeOf(await call("POST", webhooksPath, more)), "409 WEBHOOK_LIMIT_REACHED");
});

const bodies: readonly (readonly [body: object, at: string])[] = [
  [{ types: ["upload.finished"] }, "url"],
  [{ url, types: [] }, "types"],
  [{ url, types: ["upload.started"] }, "types"],
  [{ url: "ftp://a.example/", types: ["upload.finished"] }, "url"],
  [{ url: "https://user:secret@a.example/", types: ["upload.finished"] }, "url"],
  [{ url: `https://a.example/${"a".repeat(2_031)}`, types: ["upload.finished"] }, "url"],
];

routes("refuse invalid bodies", async () => {
  for (const [body, at] of bodies) {
    const refused = await call("POST", webhooksPath, { token: "owner", body });
    const [[, path] = []] = errorsOf(refused) as readonly string[][];
    assert.equal([refused.status, path], [400, at], JSON.stringify(body));
  }
  const longest = { url: `https://a.example/${"a".repeat(2_030)}`, types: ["upload.finished"] };
  assert.is((await call("POST", webhooksPath, { token: "owner", body: longest })).status, 201);
});

routes("refuse plain HTTP and private hosts, unless private networks are allowed", async () => {
  const { log } = application;
  const models = { live: async () => application.readModel() };
  const deps = webhookRouteDeps({ models, reading: null as never, signingKey: "key", allowsPrivate: false });
  const strict = await serveRoutes(webhookRoutes({ log, ...deps }));
  const { id } = await createWebhook(url);
  const local = ["https://localhost/x", "https://LOCALHOST.:8443/", "https://hooks.localhost/"];
  for (const refused of [
    ...["http://a.example/", "https://127.0.0.1/", "https://[::ffff:10.0.0.1]/", "https://0x7f.1/"],
    ...local,
  ]) {
    for (const [method, path, body] of [
      ["POST", webhooksPath, { url: refused, types: ["upload.finished"] }],
      ["PATCH", `${webhooksPath}/${id}`, { url: refused }],
    ] as const) {
      const answer = await strict.call(method, path, { token: "owner", body });
      const [[, at] = []] = errorsOf(answer) as readonly string[][];
      assert.equal([answer.status, at], [400, "url"], refused);
    }
  }
  await strict.close();
});

routes("send a test, and a delivery again by hand", async () => {
  const webhook = await createWebhook(receiver.url);
  const path = `${webhooksPath}/${webhook.id}`;
  const test = await call("POST", `${path}/test`, { token: "owner" });
  const { delivery } = (test.json as { data: { delivery: { id: string; type: string; status: string } } }).data;
  assert.equal([test.status, delivery.type, delivery.status], [202, "webhook.test", "waiting"]);
  clock.now = new Date(Date.now() + 60_000);
  const delivered = async (attempts: number): Promise<boolean> =>
    (await application.deliveries(webhook.id, "?status=delivered")).deliveries.some((one) => one.attempts === attempts);
  await runUntil(() => delivered(1));
  const [request] = requests;
  assert.equal(
    [request?.headers["webhook-id"], JSON.parse(request?.body ?? "").data],
    [delivery.id, { webhookId: webhook.id }],
  );

  const retryPath = `${webhooksPath}/deliveries/${delivery.id}/retry`;
  assert.is((await call("POST", retryPath, { token: "owner" })).status, 202);
  await runUntil(() => delivered(2));
  assert.equal(
    [requests.length, requests[1]?.headers["webhook-id"], requests[1]?.body],
    [2, delivery.id, request?.body],
  );

  const again = await call("POST", `${path}/test`, { token: "owner" });
  assert.is.not((again.json as { data: { delivery: { id: string } } }).data.delivery.id, delivery.id);

  const otherApp = retryPath.replace("/shop/", "/other_shop/");
  assert.is(outcomeOf(await call("POST", otherApp, { token: "other_owner" })), "404 DELIVERY_NOT_FOUND");
  const none = `${webhooksPath}/deliveries/${exampleUuid("unknown", 1)}/retry`;
  assert.is(outcomeOf(await call("POST", none, { token: "owner" })), "404 DELIVERY_NOT_FOUND");
  await send("PATCH", path, { enabled: false });
  assert.is(outcomeOf(await call("POST", `${path}/test`, { token: "owner" })), "409 WEBHOOK_DISABLED");
  assert.is(outcomeOf(await call("POST", retryPath, { token: "owner" })), "409 WEBHOOK_DISABLED");
});

routes("page deliveries, newest first", async () => {
  const webhook = await createWebhook(receiver.url);
  for (let number = 1; number <= 3; number += 1) {
    await finishUpload();
    await runUntil(() => requests.length === number);
    later(1_000);
  }
  const page = async (query: string) => {
    const { totalCount, deliveries } = await application.deliveries(webhook.id, query);
    return [totalCount, deliveries.map(({ id }) => id)];
  };
  await runUntil(async () => (await page("?status=delivered"))[0] === 3);
  const newestFirst = requests.map(({ headers }) => headers["webhook-id"]).reverse();
  assert.equal(await page(""), [3, newestFirst]);
  assert.equal(await page("?skip=1&size=1"), [3, newestFirst.slice(1, 2)]);
  assert.equal(await page("?skip=3"), [3, []]);
  assert.equal(await page("?status=waiting"), [0, []]);
  for (const [size, status] of [
    [0, 400],
    [1, 200],
    [500, 200],
    [501, 400],
  ] as const) {
    assert.is((await send("GET", `${webhooksPath}/${webhook.id}/deliveries?size=${size}`)).status, status);
  }
});

routes("change a webhook that is failing, and show since when as its GET does", async () => {
  const webhook = await createWebhook(receiver.url);
  const path = `${webhooksPath}/${webhook.id}`;
  const failingSince = async () =>
    ((await send("GET", path)).data as { webhook: { failingSince: string | null } }).webhook.failingSince;
  receiver.respond = () => ({ status: 500 });
  await finishUpload();
  await runUntil(async () => (await failingSince()) !== null);
  receiver.respond = () => ({ status: 204 });
  const since = await failingSince();
  for (const [changes, shown] of [
    [{ rotateSecret: true }, since],
    [{ enabled: false }, since],
    [{ enabled: true }, null],
  ] as const) {
    const { data } = await send("PATCH", path, changes);
    const { secret: _, ...changed } = (data as { webhook: { secret?: string; failingSince: string | null } }).webhook;
    assert.is(changed.failingSince, shown);
    assert.equal((await send("GET", path)).data, { webhook: changed });
  }
});

routes("change a webhook while the read model cannot be read", async () => {
  const models = { live: () => Promise.reject(new Error("no database")) };
  const deps = webhookRouteDeps({ models, reading: null as never, signingKey: "key", allowsPrivate: true });
  const unreadable = await serveRoutes(webhookRoutes({ log: application.log, ...deps }));
  const { id } = await createWebhook(url);
  const body = { enabled: false };
  const changed = await unreadable.call("PATCH", `${webhooksPath}/${id}`, { token: "owner", body });
  assert.is(changed.status, 200);
  await unreadable.close();
});

routes("rotate a secret: both sign for a day, then only the new one", async () => {
  const webhook = await createWebhook(receiver.url);
  const { data } = await send("PATCH", `${webhooksPath}/${webhook.id}`, { rotateSecret: true });
  const rotated = { id: webhook.id, secret: (data as { webhook: { secret: string } }).webhook.secret };
  assert.is.not(rotated.secret, webhook.secret);
  const [rotation] = (await application.events(webhooksStream(1))).slice(-1);
  if (rotation?.type !== "WebhookSecretRotated") throw new Error("It was not rotated");
  const until = Date.parse(rotation.data.previousUntil);
  assert.ok(Math.abs(until - Date.now() - 24 * 3_600_000) < 60_000);
  for (const [at, byFormer] of [
    [until - 1, true],
    [until, false],
  ] as const) {
    requests.length = 0;
    clock.now = new Date(at);
    await finishUpload();
    await runUntil(() => requests.length === 1);
    const [request] = requests;
    if (request === undefined) throw new Error("one was received");
    assert.equal([isSignedWith(rotated, request), isSignedWith(webhook, request)], [true, byFormer]);
  }
});

routes.run();
