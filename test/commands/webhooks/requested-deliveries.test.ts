import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startReceiver } from "../../support/webhook-receiver.ts";
import { startWebhookApplication, webhooksPath } from "./webhook-application.ts";

const application = await startWebhookApplication();
const { clock, later, runUntil, createWebhook, finishUpload, send } = application;
const receiver = await startReceiver();
const { requests } = receiver;
/** The reactors are behind the routes, so that what is requested is newer than what waits. */
const behindMs = 3_600_000;

const sentIds = () => requests.map(({ headers }) => headers["webhook-id"]);
const retry = (deliveryId: unknown) => send("POST", `${webhooksPath}/deliveries/${deliveryId}/retry`);
/** Id, status and number of requests of each delivery, newest first. */
const deliveriesOf = async (webhookId: string) =>
  (await application.deliveries(webhookId)).deliveries.map(({ id, status, attempts }) => [id, status, attempts]);
/** Lets the receiver respond, after a caller has retried the delivery that is in flight, if it is the first request. */
const retryInFlight = (statuses: readonly number[]) => {
  receiver.respond = async ({ headers }) => {
    const status = statuses[requests.length - 1] ?? 204;
    if (requests.length === 1) assert.is((await retry(headers["webhook-id"])).status, 202);
    return { status };
  };
};

const requested = suite("deliveries that a caller requests");
requested.before.each(() => {
  requests.length = 0;
  clock.now = new Date(Date.now() - behindMs);
  receiver.respond = () => ({ status: 204 });
});
requested.after.each(application.deleteWebhooks);
requested.after(async () => {
  await application.close();
  await receiver.close();
});

for (const [status, result] of [
  [204, "succeeds"],
  [500, "fails and pauses the webhook"],
] as const) {
  requested(`are sent again if a request in flight ${result}`, async () => {
    const webhook = await createWebhook(receiver.url);
    retryInFlight([status]);
    await finishUpload();
    await runUntil(async () => (await deliveriesOf(webhook.id))[0]?.[2] === 2);
    const [id] = sentIds();
    assert.equal([sentIds(), await deliveriesOf(webhook.id)], [[id, id], [[id, "delivered", 2]]]);
  });
}

requested("are retried later if the request fails that was requested while another one was in flight", async () => {
  const webhook = await createWebhook(receiver.url);
  retryInFlight([204, 500]);
  await finishUpload();
  await runUntil(async () => (await deliveriesOf(webhook.id))[0]?.[2] === 2);
  const [id] = sentIds();
  assert.equal(await deliveriesOf(webhook.id), [[id, "waiting", 2]]);
  const [delivery] = (await application.deliveries(webhook.id)).deliveries;
  assert.is(delivery?.nextAttemptAt, new Date(clock.now.getTime() + 5_000).toISOString());
});

for (const [pauseMs, state] of [
  [0, "pauses"],
  [60_000, "sends one at a time after a pause"],
] as const) {
  requested(`are sent before older ones to a failing webhook that ${state}`, async () => {
    const webhook = await createWebhook(receiver.url);
    receiver.respond = () => ({ status: 500 });
    await finishUpload();
    await runUntil(async () => (await deliveriesOf(webhook.id))[0]?.[2] === 1);
    for (let count = 0; count < 3; count += 1) {
      later(1);
      await finishUpload();
    }
    await runUntil(async () => (await deliveriesOf(webhook.id)).length === 4);
    const [newest] = await deliveriesOf(webhook.id);
    later(pauseMs);
    await retry(newest?.[0]);
    const { data } = await send("POST", `${webhooksPath}/${webhook.id}/test`);
    const { id: testId } = (data as { delivery: { id: string } }).delivery;
    const [first] = sentIds();
    // Both fail.
    await runUntil(() => requests.length >= 3);
    assert.equal(sentIds(), [first, newest?.[0], testId]);
  });
}

requested.run();
