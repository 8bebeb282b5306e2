import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AttributionData } from "../../../commands/webhooks/body.ts";
import { webhookDeliverer } from "../../../commands/webhooks/deliverer.ts";
import type {
  DelivererDeps,
  Delivery,
  NewDelivery,
  Notification,
  RecordedAttempt,
  WebhookToServe,
} from "../../../commands/webhooks/delivery.ts";
import { hashOfSecret, secretText } from "../../../commands/webhooks/signature.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { anInstall } from "../../examples/app-events.ts";
import { wonBy } from "../../examples/decisions.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { aClick } from "../../examples/touchpoints.ts";
import { servedShop } from "../../support/application.ts";

const signingKey = "signing-key-of-the-tests-0123456789";
const [webhookId, secretId] = [exampleUuid("hook", 1), exampleUuid("secret", 1)];
const webhook: WebhookToServe = {
  ...{ appId: servedShop.appId, webhookId, url: "https://hooks.example/" },
  ...{ secretId, secretHash: hashOfSecret(secretText(signingKey, webhookId, secretId)) },
  ...{ previousSecretId: null, previousSecretHash: null, previousUntil: null },
  ...{ position: 0n, isPaused: false, hasDue: false, hasNext: true, room: 10, failing: null },
  settingsAt: new Date("2026-03-30T00:00:00.000Z"),
  since: new Date("2026-03-31T00:00:00.000Z"),
};
const { eventId, category, at, deviceKey, winner } = wonBy(anInstall(), aClick()).data;
const decided = { eventId, category, at, deviceKey, winner };
const notification: Notification = {
  ...{ position: 7n, eventId: exampleUuid("decision", 1), type: "attribution.decided", trace: undefined },
  ...{ at: new Date("2026-03-31T00:00:01.000Z"), data: JSON.stringify(decided) },
};
const envelope = { type: "attribution.decided", timestamp: "2026-03-31T00:00:01.000Z", app: servedShop.name };
const bodyWith = (shown: object | null): string => JSON.stringify({ ...envelope, data: { ...decided, winner: shown } });

/** The deliverer on a store in memory; each answer of `waitForFacts` is used once. */
function startDeliverer(answers: readonly boolean[] = [true]) {
  const left = [...answers];
  const queries: bigint[] = [];
  const stored: NewDelivery[] = [];
  const attempts: RecordedAttempt[] = [];
  const posted: string[] = [];
  const masking = { winner: { channel: "restricted" } };
  const deps: DelivererDeps<WebhookToServe> = {
    ...{ log: {} as EventLog, signingKey, now: () => new Date("2026-03-31T00:00:02.000Z") },
    requireApp: async () => servedShop,
    shownAttribution: async (_app, data: AttributionData) => ({ ...data, winner: masking.winner }),
    dueWebhooks: async () => [],
    nextNotifications: async () => (stored.length === 0 ? [notification] : []),
    waitForFacts: async (position) => {
      queries.push(position);
      return left.shift() ?? true;
    },
    storeDeliveries: async (_webhook, deliveries) => {
      stored.push(...deliveries);
      return deliveries.map(({ deliveryId }) => deliveryId);
    },
    dueDeliveries: async () =>
      stored.map((delivery): Delivery => {
        const body = attempts.at(-1)?.body ?? delivery.body;
        return { ...delivery, body, attempts: attempts.length, failing: null, requestedAt: null };
      }),
    storeAttempts: async (_webhook, made) => {
      attempts.push(...made);
    },
    post: async (_url, _headers, body) => {
      posted.push(body);
      return { responseStatus: 500, failure: "status" };
    },
  };
  const { act } = webhookDeliverer(deps);
  const attempt = { signal: new AbortController().signal, epoch: 1n };
  return {
    ...{ queries, stored, posted, masking },
    turn: (backlog: Partial<WebhookToServe> = {}) => act({ ...webhook, ...backlog }, attempt),
  };
}

const notifications = suite("notifications of attributions");

notifications("are sent masked, once the facts have passed the decision", async () => {
  const { turn, queries, stored, posted } = startDeliverer([false, true]);
  await turn();
  assert.equal([queries, stored, posted], [[7n], [], []]);
  await turn();
  assert.equal([queries, stored.length, posted], [[7n, 7n], 1, [bodyWith({ channel: "restricted" })]]);
});

notifications("are masked as of their first request, and have the same body in later ones", async () => {
  const { turn, stored, posted, masking } = startDeliverer();
  masking.winner = { channel: "network" };
  await turn({ isPaused: true });
  assert.equal([stored.length, posted], [1, []]);
  masking.winner = { channel: "restricted" };
  const waiting = { hasDue: true, hasNext: false };
  await turn(waiting);
  masking.winner = { channel: "network" };
  await turn(waiting);
  assert.equal(posted, [bodyWith({ channel: "restricted" }), bodyWith({ channel: "restricted" })]);
});

notifications.run();
