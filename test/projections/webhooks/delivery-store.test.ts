import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createEngineTables } from "../../../projections/engine/engine-tables.ts";
import { storeAttempts, storeDeliveries } from "../../../projections/webhooks/delivery-store.ts";
import { createDeliveryStore } from "../../../projections/webhooks/delivery-tables.ts";
import { dueDeliveries } from "../../../projections/webhooks/due-webhooks.ts";
import { webhooksProjection } from "../../../projections/webhooks/projection.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { openProjection } from "../one-projection.ts";

const [webhookId, deliveryId] = [exampleUuid("hook", 1), exampleUuid("delivery", 1)];
const now = new Date("2026-03-31T00:00:00.000Z");
const leader = { epoch: 1n };
const { db, close } = await openProjection(webhooksProjection);

const store = suite("stored deliveries");
store.before(async () => {
  await createEngineTables(db);
  await createDeliveryStore(db, { headPosition: async () => null, eventAt: async () => null });
  await db.raw("insert into touchledger.roles (role, epoch) values ('webhooks', 1)");
});
store.after(() => close());

const progressOf = async () =>
  (await db.raw<{ rows: { position: bigint }[] }>("select position from work.webhook_progress")).rows[0]?.position;

store("are made up to a position that a starting worker lowers only if it is beyond the head", async () => {
  const head = 5n;
  const eventAt = async () => null;
  const startWith = (headPosition: () => Promise<{ commit: bigint; prepare: bigint }>) =>
    createDeliveryStore(db, { headPosition, eventAt });
  const headOf = (commit: bigint) => async () => ({ commit, prepare: commit });
  await storeDeliveries(db, webhookId, [], head, now, leader);
  for (const [start, position] of [
    [headOf(head + 1n), head],
    [headOf(head), head],
    [headOf(head - 1n), head - 1n],
  ] as const) {
    await startWith(start);
    assert.is(await progressOf(), position);
  }
  // The active worker delivers what came after the head was read.
  await startWith(async () => {
    await db.raw("update work.webhook_progress set position = :position", { position: String(head + 2n) });
    return { commit: head, prepare: head };
  });
  assert.is(await progressOf(), head + 2n);
});

store("have the body that was sent", async () => {
  const made = { deliveryId, type: "attribution.decided", body: "unmasked", trace: undefined, position: 7n } as const;
  await storeDeliveries(db, webhookId, [made], 7n, now, leader);
  const due = () => dueDeliveries(db, { webhookId, enabledPosition: 7n }, false, now, 10);
  const waiting = { ...{ deliveryId, type: made.type, trace: undefined }, requestedAt: null };
  assert.equal(await due(), [{ ...waiting, body: "unmasked", attempts: 0, failing: null }]);

  const failing = { failures: 1, since: now };
  const failed = { responseStatus: 500, failure: "status", status: "waiting", failing, dueAt: now } as const;
  const health = { failing, pausedUntil: null, disable: null };
  const attempts = [{ deliveryId, body: "masked", requestedAt: null, ...failed }];
  await storeAttempts(db, { webhookId, settingsPosition: 7n }, attempts, health, now, leader);
  assert.equal(await due(), [{ ...waiting, body: "masked", attempts: 1, failing }]);
});

store.run();
