import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { webhooksStream } from "../../../domain/streams.ts";
import { retryTimes } from "../../../domain/webhooks/retries.ts";
import { retryDelivery } from "../../../projections/webhooks/delivery-store.ts";
import { endDeliveries, hasDeliveriesToEnd } from "../../../projections/webhooks/delivery-tables.ts";
import { dueDeliveries, dueWebhooks } from "../../../projections/webhooks/due-webhooks.ts";
import { webhooksProjection } from "../../../projections/webhooks/projection.ts";
import { shop } from "../../examples/app.ts";
import { isSignedWith, startReceiver } from "../../support/webhook-receiver.ts";
import { startWebhookApplication, webhooksPath } from "./webhook-application.ts";

const application = await startWebhookApplication();
const { clock, later, runUntil, createWebhook, finishUpload, send } = application;
const receiver = await startReceiver();
const { requests } = receiver;
const { db, schema } = application.readModel();

const [minute, day] = [60_000, 24 * 3_600_000];
const requestIdOf = ({ body }: { readonly body: string }) => JSON.parse(body).data.requestId as string;
const deliveries = async (webhookId: string, query = "") => (await application.deliveries(webhookId, query)).deliveries;
const shown = async (webhookId: string) =>
  (
    (await send("GET", `${webhooksPath}/${webhookId}`)).data as {
      webhook: { enabled: boolean; disabledReason: string; failingSince: string | null };
    }
  ).webhook;
const allDelivered = async (webhookId: string, count: number): Promise<boolean> =>
  (await deliveries(webhookId, "?status=delivered")).length === count;

async function finishedDeliveries(webhookId: string, count: number, at: Date): Promise<void> {
  await db.raw(
    `insert into work.webhook_deliveries (delivery_id, webhook_id, type, body, created_at, status, due_at, attempted_at)
     select gen_random_uuid(), :webhookId, 'upload.finished', '{}', :at, 'delivered', :at, :at
     from generate_series(1, :count::integer)`,
    { webhookId, count, at },
  );
}

const delivering = suite("delivering to webhooks");
delivering.before.each(() => {
  requests.length = 0;
  receiver.respond = () => ({ status: 204 });
});
delivering.after.each(application.deleteWebhooks);
delivering.after(async () => {
  await application.close();
  await receiver.close();
});

delivering("sends events after the creation, signed, each once", async () => {
  await finishUpload();
  const webhook = await createWebhook(receiver.url);
  await createWebhook(receiver.url, { types: ["report.finished"] });
  const requestId = await finishUpload();
  await runUntil(() => allDelivered(webhook.id, 1));
  await application.restart();
  later(1_000);
  const next = await finishUpload();
  await runUntil(() => allDelivered(webhook.id, 2));
  assert.equal(requests.map(requestIdOf), [requestId, next]);
  assert.ok(requests.every((request) => isSignedWith(webhook, request)));
  const [first] = requests;
  assert.is(first?.headers["webhook-timestamp"], String(Math.floor((clock.now.getTime() - 1_000) / 1_000)));
  const { type, app, timestamp, data } = JSON.parse(first?.body ?? "");
  assert.equal([type, app, data.status, data.faults], ["upload.finished", "shop", "failed", 2]);
  assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < minute);
  const [newest, oldest] = await deliveries(webhook.id);
  assert.equal(
    [oldest?.id, newest?.id],
    requests.map((request) => request.headers["webhook-id"]),
  );
  assert.equal(
    [newest?.status, newest?.attempts, newest?.responseStatus, newest?.nextAttemptAt],
    ["delivered", 1, 204, null],
  );
});

delivering("sends only events after their type was added", async () => {
  await createWebhook(receiver.url.replace("/hook", "/other"));
  const webhook = await createWebhook(receiver.url, { types: ["report.finished"] });
  await finishUpload();
  const types = ["report.finished", "upload.finished"];
  await send("PATCH", `${webhooksPath}/${webhook.id}`, { types });
  await application.project();
  assert.match(await application.metrics(), /^webhook_waiting_deliveries 1$/m);
  const kept = await finishUpload();
  await send("PATCH", `${webhooksPath}/${webhook.id}`, { types: types.toReversed(), description: "Warehouse" });
  const next = await finishUpload();
  await runUntil(() => allDelivered(webhook.id, 2));
  await runUntil(() => true);
  assert.equal(requests.filter(({ path }) => path === "/hook").map(requestIdOf), [kept, next]);
});

delivering("tries again after 5 s, then 10 s, with the same id and body and a new timestamp", async () => {
  const webhook = await createWebhook(receiver.url);
  receiver.respond = () => ({ status: 500 });
  await finishUpload();
  for (const [attempts, waits] of [
    [1, 5],
    [2, 10],
    [3, 20],
  ] as const) {
    await runUntil(async () => (await deliveries(webhook.id))[0]?.attempts === attempts);
    const [delivery] = await deliveries(webhook.id);
    assert.equal([delivery?.status, delivery?.responseStatus, delivery?.failure], ["waiting", 500, "status"]);
    assert.is(Date.parse(delivery?.nextAttemptAt ?? "") - clock.now.getTime(), waits * 1_000);
    later(waits * 1_000 - 1);
    const before = requests.length;
    await runUntil(() => true);
    assert.is(requests.length, before);
    later(1);
  }
  receiver.respond = () => ({ status: 200 });
  await runUntil(() => allDelivered(webhook.id, 1));
  assert.equal(requests.length, 4);
  assert.equal(new Set(requests.map(({ headers, body }) => `${headers["webhook-id"]} ${body}`)).size, 1);
  assert.ok(new Set(requests.map(({ headers }) => headers["webhook-timestamp"])).size > 1);
  assert.ok(requests.every((request) => isSignedWith(webhook, request)));
});

delivering("sends a delivery again if the worker lost its role before it stored the result", async () => {
  const webhook = await createWebhook(receiver.url);
  receiver.respond = async () => {
    await db.raw("update touchledger.roles set epoch = 2 where role = 'webhooks'");
    return { status: 204 };
  };
  await finishUpload();
  await runUntil(() => application.failures.length > 0);
  assert.equal(
    (await deliveries(webhook.id)).map(({ status }) => status),
    ["waiting"],
  );
  await db.raw("update touchledger.roles set epoch = 1 where role = 'webhooks'");
  application.failures.length = 0;
  receiver.respond = () => ({ status: 204 });
  await application.restart();
  await runUntil(() => allDelivered(webhook.id, 1));
  assert.is(new Set(requests.map(({ headers }) => headers["webhook-id"])).size, 1);
  assert.ok(requests.length >= 2);
});

delivering("makes no delivery if the worker lost its role, and the next leader makes it", async () => {
  const webhook = await createWebhook(receiver.url);
  await finishUpload();
  await db.raw("update touchledger.roles set epoch = 2 where role = 'webhooks'");
  await runUntil(() => application.failures.length > 0);
  assert.equal([await deliveries(webhook.id), requests.length], [[], 0]);
  await db.raw("update touchledger.roles set epoch = 1 where role = 'webhooks'");
  application.failures.length = 0;
  await application.restart();
  await runUntil(() => allDelivered(webhook.id, 1));
  assert.is(requests.length, 1);
});

delivering("sends nothing again after a rebuild, nor when the tables of deliveries are lost", async () => {
  const webhook = await createWebhook(receiver.url);
  await finishUpload();
  await runUntil(() => allDelivered(webhook.id, 1));
  await db.transaction(async (trx) => {
    await trx.raw(`drop schema ${schema} cascade; create schema ${schema}`);
    await webhooksProjection.createTables(trx, schema);
    const events = (await application.events()).filter(({ type }) => webhooksProjection.handles.includes(type));
    await webhooksProjection.apply(trx, schema, events);
  });
  await runUntil(() => true);
  await db.raw("drop table work.webhook_log, work.webhook_progress, work.webhook_deliveries");
  await application.restart();
  const requestId = await finishUpload();
  await runUntil(() => allDelivered(webhook.id, 1));
  assert.equal(requests.map(requestIdOf).at(-1), requestId);
  assert.is(requests.length, 2);
  // Another log, or a copy of this one, has another event at the position.
  await db.raw("update work.webhook_log set event_id = gen_random_uuid()");
  await application.restart();
  await runUntil(() => true);
  assert.equal([requests.length, await deliveries(webhook.id)], [2, []]);
});

delivering("sends new events after the store was restored to an earlier moment than the deliveries", async () => {
  const webhook = await createWebhook(receiver.url);
  await finishUpload();
  await runUntil(() => allDelivered(webhook.id, 1));
  // What was sent had positions that the log does not have any more.
  await db.raw("update work.webhook_progress set position = position + 1_000_000_000");
  await application.restart();
  const requestId = await finishUpload();
  await runUntil(() => allDelivered(webhook.id, 2));
  assert.is(requests.map(requestIdOf).at(-1), requestId);
  assert.is(requests.length, 2);
});

delivering("sends nothing again that was delivered or waits when the progress falls back behind it", async () => {
  const webhook = await createWebhook(receiver.url);
  const [first, failing] = [await finishUpload(), await finishUpload()];
  receiver.respond = (request) => ({ status: requestIdOf(request) === failing ? 500 : 204 });
  const sent = async () => (await deliveries(webhook.id)).filter(({ attempts }) => attempts === 1);
  await runUntil(async () => (await sent()).length === 2);
  const before = await sent();
  later(1);
  await db.raw("update work.webhook_progress set position = 0");
  const next = await finishUpload();
  await runUntil(() => allDelivered(webhook.id, 2));
  assert.equal(requests.map(requestIdOf).toSorted(), [first, failing, next].toSorted());
  assert.equal((await deliveries(webhook.id)).slice(1), before);
});

delivering("waits no longer than the longest pause when the clock was ahead", async () => {
  const webhook = await createWebhook(receiver.url);
  receiver.respond = () => ({ status: 500 });
  await finishUpload();
  await runUntil(async () => (await deliveries(webhook.id))[0]?.attempts === 1);
  const { maxBackoffMs, maxPauseMs } = retryTimes;
  const found = async (pauseMs: number, waitMs: number) => {
    const after = (ms: number) => new Date(clock.now.getTime() + ms);
    await db.raw("update work.webhook_progress set paused_until = :until", { until: after(pauseMs) });
    await db.raw("update work.webhook_deliveries set due_at = :dueAt", { dueAt: after(waitMs) });
    const due = await dueWebhooks({ db, schema }, { now: clock.now, max: 10, maxWaiting: 10 });
    const to = { webhookId: webhook.id, enabledPosition: 0n };
    const sent = await dueDeliveries(db, to, false, clock.now, 10);
    return { due: due.map(({ isPaused, since }) => ({ isPaused, since })), sent: sent.length };
  };
  const none = { due: [], sent: 0 };
  const overdue = { due: [{ isPaused: false, since: clock.now }], sent: 1 };
  for (const wait of [1, maxBackoffMs - 1, maxBackoffMs]) assert.equal(await found(0, wait), none);
  for (const wait of [maxBackoffMs + 1, 10 * day]) assert.equal(await found(0, wait), overdue);
  for (const ahead of [1, maxPauseMs - 1, maxPauseMs]) assert.equal(await found(ahead, 0), { ...none, sent: 1 });
  for (const ahead of [maxPauseMs + 1, 10 * day]) assert.equal(await found(ahead, 0), overdue);
});

delivering("disables a webhook that only failed for five days; once enabled it gets later events", async () => {
  const webhook = await createWebhook(receiver.url);
  receiver.respond = () => ({ status: 503 });
  await finishUpload();
  const start = clock.now.getTime();
  for (let attempts = 1; (await shown(webhook.id)).enabled; attempts += 1) {
    assert.ok(clock.now.getTime() - start < 5.5 * day);
    await runUntil(async () => {
      await application.project();
      const { enabled } = await shown(webhook.id);
      // It is disabled after the attempt, by a run that may have been the last one.
      return !enabled || (await deliveries(webhook.id))[0]?.attempts === attempts;
    });
    const [delivery] = await deliveries(webhook.id);
    await application.project();
    if (delivery?.nextAttemptAt !== null) clock.now = new Date(delivery?.nextAttemptAt ?? "");
  }
  assert.ok(clock.now.getTime() - start >= 5 * day);
  const events = await application.events(webhooksStream(shop.appId));
  const last = events.at(-1);
  assert.equal([last?.type, last?.metadata.actor], ["WebhookDisabled", { kind: "reactor", name: "webhooks" }]);
  assert.equal(last?.data, {
    ...{ webhookId: webhook.id, appId: shop.appId, reason: "failing", failingSince: new Date(start).toISOString() },
  });
  assert.is((await shown(webhook.id)).disabledReason, "failing");
  assert.equal(
    (await deliveries(webhook.id)).map(({ status }) => status),
    ["failed"],
  );

  await finishUpload();
  receiver.respond = () => ({ status: 204 });
  requests.length = 0;
  await send("PATCH", `${webhooksPath}/${webhook.id}`, { enabled: true });
  const requestId = await finishUpload();
  await runUntil(() => allDelivered(webhook.id, 1));
  assert.equal(requests.map(requestIdOf), [requestId]);
});

delivering("disables a webhook whose receiver is gone, and fails its waiting deliveries", async () => {
  const webhook = await createWebhook(receiver.url);
  receiver.respond = () => ({ status: 410 });
  for (const failed of [["failed"], ["failed", "failed"]]) {
    await finishUpload();
    await runUntil(async () => {
      await application.project();
      return (await shown(webhook.id)).disabledReason === "gone";
    });
    await runUntil(async () => (await deliveries(webhook.id))[0]?.failure === "webhook_disabled");
    assert.equal(
      (await deliveries(webhook.id)).map(({ status }) => status),
      failed,
    );
    // It is disabled again if it fails after it was enabled.
    await send("PATCH", `${webhooksPath}/${webhook.id}`, { enabled: true });
    later(minute);
  }
});

delivering("disables a webhook by a process whose clock is behind that of the one which created it", async () => {
  const { now } = clock;
  clock.now = new Date(Date.now() - minute);
  const webhook = await createWebhook(receiver.url);
  receiver.respond = () => ({ status: 410 });
  await finishUpload();
  await runUntil(async () => {
    await application.project();
    return (await shown(webhook.id)).disabledReason === "gone";
  });
  clock.now = now;
});

delivering(
  "keeps a webhook enabled whose address has changed before the former one responds that it is gone",
  async () => {
    const webhook = await createWebhook(receiver.url);
    const url = receiver.url.replace("/hook", "/other");
    receiver.respond = async ({ path }) => {
      if (path === "/other") return { status: 204 };
      await send("PATCH", `${webhooksPath}/${webhook.id}`, { url });
      return { status: 410 };
    };
    later(minute);
    await finishUpload();
    await runUntil(async () => (await deliveries(webhook.id))[0]?.attempts === 1);
    await application.project();
    assert.equal((await shown(webhook.id)).disabledReason, null);
    later(minute);
    await runUntil(() => allDelivered(webhook.id, 1));
    assert.equal(
      requests.map(({ path }) => path),
      ["/hook", "/other"],
    );
  },
);

delivering("holds up no webhook for a slow receiver", async () => {
  const slow = await startReceiver();
  slow.respond = () => null;
  const [hanging, webhook] = [await createWebhook(slow.url), await createWebhook(receiver.url)];
  await finishUpload();
  await runUntil(() => allDelivered(webhook.id, 1));
  assert.is(slow.requests.length, 1);
  assert.equal(
    (await deliveries(hanging.id)).map(({ attempts }) => attempts),
    [0],
  );
  await slow.close();
});

delivering("sends one request at a time to a webhook that fails, and all at once when it is back", async () => {
  const webhook = await createWebhook(receiver.url);
  receiver.respond = () => ({ status: 500 });
  await application.restart();
  for (let count = 0; count < 30; count += 1) await finishUpload();
  await runUntil(() => requests.length > 0);
  assert.is(requests.length, 20);
  later(5_000);
  await runUntil(() => requests.length > 20);
  assert.is(requests.length, 21);
  assert.match(await application.metrics(), /^webhook_waiting_deliveries 30$/m);
  assert.match(await application.metrics(), /^webhook_failing_seconds 5$/m);
  receiver.respond = () => ({ status: 200 });
  later(minute);
  await runUntil(() => allDelivered(webhook.id, 30));
  assert.match(await application.metrics(), /^webhook_waiting_deliveries 0$/m);
  assert.match(await application.metrics(), /^webhook_failing_seconds 0$/m);
  assert.match(await application.metrics(), /^webhook_requests_total\{result="delivered"\} 30$/m);
});

delivering(
  "makes deliveries for a webhook that pauses, which a caller can see and, once it was disabled, retry",
  async () => {
    const webhook = await createWebhook(receiver.url);
    receiver.respond = () => ({ status: 500 });
    await finishUpload();
    await runUntil(async () => (await shown(webhook.id)).failingSince !== null);
    const failingSince = clock.now.toISOString();
    // More than are made at a time.
    for (let count = 0; count < 101; count += 1) await finishUpload();
    await runUntil(async () => (await application.deliveries(webhook.id, "?status=waiting")).totalCount === 102);
    assert.is(requests.length, 1, "nothing is sent meanwhile");
    assert.is((await shown(webhook.id)).failingSince, failingSince);

    await send("PATCH", `${webhooksPath}/${webhook.id}`, { enabled: false });
    await application.restart();
    await runUntil(async () => (await application.deliveries(webhook.id, "?status=failed")).totalCount === 102);
    receiver.respond = () => ({ status: 204 });
    await send("PATCH", `${webhooksPath}/${webhook.id}`, { enabled: true });
    assert.is((await shown(webhook.id)).failingSince, null);
    const [newest] = await deliveries(webhook.id);
    await send("POST", `${webhooksPath}/deliveries/${newest?.id}/retry`);
    await runUntil(() => allDelivered(webhook.id, 1));
    assert.is(requests.length, 2);
  },
);

delivering("fails what waited when a webhook was disabled, also if it is enabled again at once", async () => {
  const webhook = await createWebhook(receiver.url);
  receiver.respond = () => ({ status: 500 });
  await finishUpload();
  await finishUpload();
  await runUntil(async () => (await application.deliveries(webhook.id, "?status=waiting")).totalCount === 2);
  await runUntil(async () => (await deliveries(webhook.id)).every(({ attempts }) => attempts === 1));
  await send("PATCH", `${webhooksPath}/${webhook.id}`, { enabled: false });
  await send("PATCH", `${webhooksPath}/${webhook.id}`, { enabled: true });
  await application.project();
  later(minute);
  const due = () => dueWebhooks({ db, schema }, { now: clock.now, max: 10, maxWaiting: 2 });
  assert.equal([await due(), await hasDeliveriesToEnd({ db, schema }, clock.now)], [[], true]);

  const [retried, other] = await deliveries(webhook.id);
  await send("POST", `${webhooksPath}/deliveries/${retried?.id}/retry`);
  const event = await finishUpload();
  const [served] = await due();
  if (served === undefined) throw new Error("The webhook has a requested delivery and an event");
  assert.equal([served.hasDue, served.hasNext, served.room], [true, true, 1]);
  const found = await dueDeliveries(db, served, false, clock.now, 10);
  assert.equal(
    found.map(({ deliveryId }) => deliveryId),
    [retried?.id],
  );

  const before = requests.length;
  await runUntil(
    async () => (await deliveries(webhook.id, "?status=waiting")).length === 2 && requests.length > before,
  );
  receiver.respond = () => ({ status: 204 });
  later(minute);
  await runUntil(() => allDelivered(webhook.id, 2));
  const ended = (await deliveries(webhook.id)).map(({ id, status, failure }) => [id === other?.id, status, failure]);
  assert.equal(ended.slice(1), [
    [false, "delivered", null],
    [true, "failed", "webhook_disabled"],
  ]);
  assert.ok(requests.map(requestIdOf).includes(event));
});

delivering("keeps the 1,000 newest finished deliveries once there are more than 2,000, for seven days", async () => {
  const hasToEnd = () => hasDeliveriesToEnd({ db, schema }, clock.now);
  await runUntil(async () => !(await hasToEnd()));
  const webhook = await createWebhook(receiver.url);
  await finishedDeliveries(webhook.id, 2_000, new Date(clock.now.getTime() - minute));
  const total = async () => (await application.deliveries(webhook.id, "?size=1")).totalCount;
  assert.equal([await total(), await hasToEnd()], [2_000, false]);
  await finishUpload();
  await runUntil(hasToEnd);
  assert.is(await total(), 2_001);
  await application.restart();
  await runUntil(async () => (await total()) === 1_000);
  assert.is((await deliveries(webhook.id))[0]?.attempts, 1, "the newest is kept");
  later(7 * day + minute);
  await application.restart();
  await runUntil(async () => (await total()) === 0);
});

delivering("keeps the newest 1,000 deliveries of a webhook that was disabled before they were sent", async () => {
  const webhook = await createWebhook(receiver.url);
  const other = await createWebhook(receiver.url);
  const [oldest, newest] = [clock.now.getTime() - 4_000, clock.now.getTime()];
  await db.raw(
    `insert into work.webhook_deliveries (delivery_id, webhook_id, type, body, created_at, due_at)
     values (gen_random_uuid(), :webhookId, 'upload.finished', '{}', :now, :now)`,
    { webhookId: other.id, now: clock.now },
  );
  // The order of the table is not that of time. The oldest has failed after all others were made.
  await db.raw(
    `insert into work.webhook_deliveries
       (delivery_id, webhook_id, type, body, created_at, due_at, attempts, attempted_at)
     select gen_random_uuid(), :webhookId, 'upload.finished', '{}', made_at, made_at, attempts,
       case attempts when 1 then :newest::timestamptz end
     from generate_series(1, 2500) as number
     cross join lateral (
       select :oldest::timestamptz + (number * 1567 % 2500) * interval '1 ms' as made_at,
         (number = 2500)::integer as attempts
     ) as made`,
    { webhookId: webhook.id, oldest: new Date(oldest), newest: new Date(newest) },
  );
  await send("PATCH", `${webhooksPath}/${webhook.id}`, { enabled: false });
  const hasToEnd = () => hasDeliveriesToEnd({ db, schema }, clock.now);
  for (let round = 0; await hasToEnd(); round += 1) {
    assert.ok(round < 2);
    await endDeliveries({ db, schema }, clock.now);
  }
  const kept = [
    ...(await deliveries(webhook.id, "?status=failed&size=500")),
    ...(await deliveries(webhook.id, "?status=failed&size=500&skip=500")),
  ].map(({ createdAt, failure }) => [Date.parse(createdAt) - oldest, failure]);
  const newestUnsent = Array.from({ length: 999 }, (_, index) => [2_499 - index, "webhook_disabled"]);
  assert.equal(kept, [...newestUnsent, [0, "webhook_disabled"]]);
  assert.is((await application.deliveries(webhook.id)).totalCount, 1_000);
  const ofOther = await deliveries(other.id);
  assert.equal(
    ofOther.map(({ status }) => status),
    ["waiting"],
  );
});

delivering("keeps a finished delivery that a caller retries while the job drops it", async () => {
  const webhook = await createWebhook(receiver.url);
  await finishUpload();
  await runUntil(() => allDelivered(webhook.id, 1));
  const [delivery] = await deliveries(webhook.id);
  await finishedDeliveries(webhook.id, 1_000, new Date(clock.now.getTime() + minute));
  const dropping = await db.transaction(async (trx) => {
    await retryDelivery({ db: trx, schema }, webhook.id, delivery?.id ?? "", clock.now);
    const ending = endDeliveries({ db, schema }, clock.now);
    const isBlocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await trx.raw(isBlocked)).rows.length === 0) await pause(5);
    return { ending };
  });
  await dropping.ending;
  assert.equal(
    (await deliveries(webhook.id, "?status=waiting")).map(({ id }) => id),
    [delivery?.id],
  );
});

delivering.run();
