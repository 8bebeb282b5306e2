import { webhooksStream } from "../../domain/streams.ts";
import { appWebhooks } from "../../domain/webhooks/app-webhooks.ts";
import type { WebhookBacklog } from "../../domain/webhooks/backlog.ts";
import { healthAfter, type WebhookHealth } from "../../domain/webhooks/disabling.ts";
import type { DisabledReason } from "../../domain/webhooks/events.ts";
import { notifiedEvents } from "../../domain/webhooks/notified-events.ts";
import { type AttemptResult, failingAfter, nextAttempt } from "../../domain/webhooks/retries.ts";
import { derivedUuid } from "../derived-ids.ts";
import { handleCommand } from "../handle-command.ts";
import type { Attempt, Reactor } from "../reactors/reactor.ts";
import { bodiesOf, masked } from "./body.ts";
import type { DelivererDeps, Delivery, Notification, RecordedAttempt, WebhookToServe } from "./delivery.ts";
import { secretsOf, signatureOf } from "./signature.ts";

interface Disabling {
  readonly reason: Exclude<DisabledReason, "requested">;
  readonly failingSince: string;
}

/** Maximum concurrent requests to one webhook. */
const maxRequests = 20;
/** Maximum webhooks that are served concurrently. */
const maxConcurrentWebhooks = 16;
/** Maximum deliveries that are made at a time. */
const maxNewDeliveries = 100;
/**
 * Each turn takes time from redirects, so turns are few and large: notifications within 250 ms are sent together, and at
 * most 4 webhooks start at once.
 */
const minReadIntervalMs = 250;
const maxStarts = 4;
/** A turn of a webhook ends after this time, and with the first requests that all fail. */
const turnMs = 1_000;

/**
 * Sends webhooks their notifications, each at least once (contract/webhooks.md#deliveries). A notification becomes a
 * delivery, whose id is derived from webhook and event and whose body does not change after its first request. A
 * delivery is sent until its receiver has accepted it or it is given up. Each webhook has turns of its own, so that a
 * slow receiver holds up no other.
 */
export function webhookDeliverer<Webhook extends WebhookToServe>(
  deps: DelivererDeps<Webhook>,
): Reactor<Webhook, Disabling> {
  return {
    name: "webhooks",
    role: "webhooks",
    list: "control",
    adds: ({ type }) => notifiedEvents.has(type),
    open: deps.dueWebhooks,
    keyOf: ({ webhookId }) => webhookId,
    since: ({ since }) => since,
    act: async (webhook, attempt) => {
      const turnEnds = performance.now() + turnMs;
      const { position, isPaused, hasDue, hasNext, room, failing } = webhook;
      const turn: Turn<Webhook> = { webhook, position, isPaused, hasDue, hasNext, room, failing };
      while (!attempt.signal.aborted && performance.now() < turnEnds) {
        const due = await takeDue(deps, turn, attempt);
        if (due.length === 0 && turn.hasNext && turn.room > 0) continue;
        if (due.length === 0) return null;
        const disable = await send(deps, turn, due, attempt);
        if (disable !== null && turn.failing !== null) {
          return { reason: disable, failingSince: turn.failing.since.toISOString() };
        }
        // What came meanwhile is found when the list is read again.
        if (turn.failing !== null || (!turn.hasDue && !turn.hasNext)) return null;
      }
      return null;
    },
    record: async ({ appId, webhookId, settingsAt: since }, { reason, failingSince }) => {
      const commandId = derivedUuid("disable webhook", webhookId, failingSince);
      const cause = {
        actor: { kind: "reactor", name: "webhooks" },
        requestId: commandId,
        occurredAt: deps.now().toISOString(),
      } as const;
      const settingsAt = since.toISOString();
      const command = { type: "DisableWebhook", appId, webhookId, settingsAt, reason, failingSince } as const;
      await handleCommand(deps.log, appWebhooks, webhooksStream(appId), commandId, command, cause);
      return false;
    },
    retry: { initialBackoffMs: 1_000, maxBackoffMs: 60_000, giveUp: null },
    limits: {
      maxConcurrent: maxConcurrentWebhooks,
      maxStarts,
      maxOpen: 200,
      // Deliveries become due by the time, and tests and retries are added without an event.
      pollMs: 500,
      pauseMs: minReadIntervalMs,
      finishMs: 1_500,
    },
  };
}

/** A webhook in its turn, with the part of its backlog that the turn changes. */
interface Turn<Webhook extends WebhookToServe> extends ChangedBacklog {
  readonly webhook: Webhook;
}

type ChangedBacklog = {
  -readonly [key in "position" | "isPaused" | "hasDue" | "hasNext" | "room" | "failing"]: WebhookBacklog[key];
};

/** Deliveries to send now: those that are due, else those of the next notifications, which wait while it is paused. */
async function takeDue<Webhook extends WebhookToServe>(
  deps: DelivererDeps<Webhook>,
  turn: Turn<Webhook>,
  attempt: Attempt,
): Promise<readonly Delivery[]> {
  const { webhook, position } = turn;
  const max = turn.failing === null ? maxRequests : 1;
  const due = turn.hasDue ? await deps.dueDeliveries(webhook, turn.isPaused, max) : [];
  turn.hasDue = due.length === max;
  if (due.length > 0 || !turn.hasNext) return due;
  const maxNext = Math.min(maxNewDeliveries, turn.room);
  const next = await deps.nextNotifications({ ...webhook, position }, maxNext);
  const last = next.at(-1);
  if (last === undefined || !(await deps.waitForFacts(last.position))) {
    turn.hasNext = false;
    return [];
  }
  const made = await makeDeliveries(deps, webhook, next, last.position, attempt);
  turn.position = last.position;
  turn.room -= made.length;
  turn.hasNext = next.length === maxNext;
  turn.hasDue = made.length > max && !turn.isPaused;
  return turn.isPaused ? [] : made.slice(0, max);
}

/** Sends deliveries and, unless it is aborted, stores the attempts. Returns why the webhook is to be disabled, or null. */
async function send<Webhook extends WebhookToServe>(
  deps: DelivererDeps<Webhook>,
  turn: Turn<Webhook>,
  due: readonly Delivery[],
  attempt: Attempt,
): Promise<WebhookHealth["disable"]> {
  const { webhook } = turn;
  const deliveries = await masked(deps, webhook.appId, due);
  const sentAt = deps.now();
  const secrets = secretsOf(deps.signingKey, webhook, sentAt);
  const results = await Promise.all(
    deliveries.map((delivery) =>
      deps.post(webhook.url, headersOf(secrets, delivery, sentAt), delivery.body, attempt.signal, delivery.trace),
    ),
  );
  if (attempt.signal.aborted) return null;
  const now = deps.now();
  const health = healthAfter(turn.failing, results, now);
  const attempts = deliveries.map((delivery, index) => {
    const body = delivery.body === due[index]?.body ? null : delivery.body;
    return { ...attempted(delivery, results[index], now), body };
  });
  turn.room += attempts.filter(({ status }) => status !== "waiting").length;
  await deps.storeAttempts(webhook, attempts, health, attempt);
  turn.failing = health.failing;
  turn.isPaused = health.pausedUntil !== null;
  return health.disable;
}

/** Makes deliveries of the notifications up to a position. Returns those that did not exist. */
async function makeDeliveries<Webhook extends WebhookToServe>(
  deps: DelivererDeps<Webhook>,
  webhook: Webhook,
  next: readonly Notification[],
  upTo: bigint,
  attempt: Attempt,
): Promise<readonly Delivery[]> {
  const bodies = await bodiesOf(deps, webhook.appId, next);
  const deliveries = next.map(({ eventId, type, trace, position }, index) => ({
    deliveryId: derivedUuid("webhook delivery", webhook.webhookId, eventId),
    ...{ type, body: bodies[index] ?? "", trace, position },
  }));
  const made = new Set(await deps.storeDeliveries(webhook, deliveries, upTo, attempt));
  return deliveries
    .filter(({ deliveryId }) => made.has(deliveryId))
    .map((delivery) => ({ ...delivery, attempts: 0, failing: null, requestedAt: null }));
}

/** The headers of a request (contract/webhooks.md#signature). */
function headersOf(secrets: readonly string[], { deliveryId, body }: Delivery, now: Date) {
  const timestamp = Math.floor(now.getTime() / 1_000);
  return {
    "content-type": "application/json",
    "webhook-id": deliveryId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatureOf(secrets, deliveryId, timestamp, body),
  };
}

function attempted(
  { deliveryId, failing: before, requestedAt }: Delivery,
  result: AttemptResult | undefined,
  now: Date,
): Omit<RecordedAttempt, "body"> {
  if (result === undefined) throw new Error(`${deliveryId} has no result`);
  const attempt = { ...result, deliveryId, requestedAt };
  if (result.failure === null) return { ...attempt, status: "delivered", failing: null, dueAt: null };
  const failing = failingAfter(before, now);
  const dueAt = nextAttempt(failing, now);
  return { ...attempt, status: dueAt === null ? "failed" : "waiting", failing, dueAt };
}
