// time limit: 60 s
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { maxWaitingDeliveries } from "../../../domain/webhooks/limits.ts";
import { root } from "../../support/paths.ts";
import { startReceiver } from "../../support/webhook-receiver.ts";
import { startWebhookApplication } from "./webhook-application.ts";

const application = await startWebhookApplication();
const { later, runUntil, createWebhook, finishUpload } = application;
const receiver = await startReceiver();
const max = 3;
let webhookId = "";

async function happen(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await finishUpload();
}
const count = async (status: string): Promise<number> =>
  (await application.deliveries(webhookId, `?status=${status}&size=1`)).totalCount;
/** Lets a receiver refuse until the deliveries that could be made have all been sent, and none is made in their place. */
async function refuseUntilFull(waiting: number): Promise<void> {
  receiver.respond = () => ({ status: 500 });
  await runUntil(async () => (await count("waiting")) === waiting);
  for (let turn = 0; turn < 3; turn += 1) {
    later(60_000);
    const before = receiver.requests.length;
    await runUntil(() => receiver.requests.length > before);
    assert.is(await count("waiting"), waiting);
  }
}

const limit = suite("the limit of waiting deliveries");
limit.before(() => application.restart(max));
limit.before.each(async () => {
  webhookId = (await createWebhook(receiver.url)).id;
});
limit.after.each(application.deleteWebhooks);
limit.after(async () => {
  await application.close();
  await receiver.close();
});

for (const events of [max - 1, max, max + 1]) {
  limit(
    `of ${events} events, ${Math.min(events, max)} wait as deliveries at most; all are sent in the end`,
    async () => {
      await happen(events);
      await refuseUntilFull(Math.min(events, max));
      receiver.respond = () => ({ status: 204 });
      later(60_000);
      await runUntil(async () => (await count("delivered")) === events);
      assert.is(await count("waiting"), 0);
    },
  );
}

limit("deliveries that wait leave room for as many as are missing", async () => {
  const before = receiver.requests.length;
  // One of three is taken: the webhook is not paused.
  receiver.respond = () => ({ status: receiver.requests.length === before + 1 ? 204 : 500 });
  await happen(max);
  await runUntil(async () => (await count("delivered")) === 1 && (await count("waiting")) === max - 1);
  await happen(max + 1);
  receiver.respond = () => ({ status: 500 });
  await runUntil(() => receiver.requests.length === before + max + 1);
  await runUntil(() => true);
  assert.is(await count("waiting"), max);
});

limit("events of a paused webhook become as many deliveries as are missing", async () => {
  receiver.respond = () => ({ status: 500 });
  await happen(1);
  await refuseUntilFull(1);
  await happen(max);
  let checks = 0;
  await runUntil(async () => {
    if ((await count("waiting")) >= max) checks += 1;
    return checks > 5;
  });
  assert.is(await count("waiting"), max);
});

limit("it is 10,000 unless it is set, as the contract says", () => {
  assert.is(maxWaitingDeliveries, 10_000);
  const page = readFileSync(join(root, "docs/contract/webhooks.md"), "utf8");
  assert.match(page, /^\| deliveries of a webhook that wait \| 10,000;/m);
});

limit.run();
