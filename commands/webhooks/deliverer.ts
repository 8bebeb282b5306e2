import { webhooksStream } from "../../domain/streams.ts";
import type { TraceContext } from "../../domain/values/trace-context.ts";
import { appWebhooks } from "../../domain/webhooks/app-webhooks.ts";
import type { DisabledReason, NotificationType } from "../../domain/webhooks/events.ts";
import { notifiedEvents } from "../../domain/webhooks/notified-events.ts";
import {
  type AttemptResult,
  type Failing,
  failingAfter,
  healthAfter,
  nextAttempt,
  type WebhookHealth,
} from "../../domain/webhooks/retries.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { derivedUuid } from "../derived-ids.ts";
import { handleCommand } from "../handle-command.ts";
import type { Attempt, Reactor } from "../reactors/reactor.ts";
import { type BodyDeps, bodiesOf, type NotificationContent } from "./body.ts";
import { type SigningWebhook, secretsOf, signatureOf } from "./signature.ts";

/** A webhook that has something to send, or to make a delivery of. */
export interface WebhookToServe extends SigningWebhook {
  readonly appId: number;
  readonly url: string;
  /** Position of the newest notification that is a delivery, or was before its time. */
  readonly position: bigint;
  /** Whether nothing is sent now, as its last requests failed. */
  readonly isPaused: boolean;
  /** Whether it has deliveries that are due and it is not paused. */
  readonly hasDue: boolean;
  /** Whether it has notifications that are no deliveries yet. */
  readonly hasNext: boolean;
  /** How many more deliveries it may have waiting. */
  readonly room: number;
  /** Null when at least one of the last requests succeeded. */
  readonly failing: Failing | null;
  readonly since: Date;
}

/** An event that a webhook is notified of. */
export interface Notification extends NotificationContent {
  readonly position: bigint;
  readonly eventId: string;
  /** The trace that recorded it. */
  readonly trace: TraceContext | undefined;
}

export interface NewDelivery {
  readonly deliveryId: string;
  readonly type: NotificationType;
  readonly body: string;
  readonly trace: TraceContext | undefined;
}

interface Delivery {
  readonly deliveryId: string;
  readonly body: string;
  readonly trace: TraceContext | undefined;
  readonly failing: Failing | null;
}

interface RecordedAttempt extends AttemptResult {
  readonly deliveryId: string;
  readonly status: "waiting" | "delivered" | "failed";
  readonly failing: Failing | null;
  readonly dueAt: Date | null;
}

export interface DelivererDeps<Webhook extends WebhookToServe> extends BodyDeps {
  readonly log: EventLog;
  /** The key that secrets are derived from. */
  readonly signingKey: string;
  /** Webhooks with something to send or to make a delivery of, the longest waiting first. */
  dueWebhooks(max: number): Promise<readonly Webhook[]>;
  /** The notifications of a webhook without a delivery, in the order of the log. */
  nextNotifications(webhook: Webhook, max: number): Promise<readonly Notification[]>;
  /** Whether the facts, which masking reads, have passed a position. May wait a second for them. */
  factsHavePassed(position: bigint): Promise<boolean>;
  /** Stores deliveries of all notifications up to a position. */
  storeDeliveries(
    webhook: Webhook,
    deliveries: readonly NewDelivery[],
    position: bigint,
    attempt: Attempt,
  ): Promise<void>;
  dueDeliveries(webhookId: string, max: number): Promise<readonly Delivery[]>;
  storeAttempts(
    webhook: Webhook,
    attempts: readonly RecordedAttempt[],
    health: WebhookHealth,
    attempt: Attempt,
  ): Promise<void>;
  /** Sends one request, in a trace. Rejects when the signal aborts, or what sends it has ended. */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
    trace: TraceContext | undefined,
  ): Promise<AttemptResult>;
  now(): Date;
}

interface Disabling {
  readonly reason: Exclude<DisabledReason, "requested">;
  readonly failingSince: string;
}

/** Maximum concurrent requests to one webhook. */
const maxRequests = 20;
/** Maximum webhooks that are served concurrently. */
const maxServed = 16;
/** Maximum deliveries that are made at a time. */
const maxMade = 100;
/**
 * Each turn takes time from redirects, so turns are few and large: notifications within 250 ms are sent together, and at
 * most 4 webhooks start at once.
 */
const togetherMs = 250;
const maxStarts = 4;
/** A turn of a webhook ends after this time, and with the first requests that all fail. */
const turnMs = 1_000;

/**
 * Sends webhooks their notifications, each at least once (contract/webhooks.md#deliveries). A notification becomes a
 * delivery, whose id is derived from webhook and event and whose body does not change. A delivery is sent until its
 * receiver has accepted it or it is given up. Each webhook has turns of its own, so that a slow receiver holds up no
 * other.
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
      let before = webhook.failing;
      const { isPaused } = webhook;
      let { position, hasDue, hasNext, room } = webhook;
      while (!attempt.signal.aborted && performance.now() < turnEnds) {
        const max = before === null ? maxRequests : 1;
        let due = hasDue ? await deps.dueDeliveries(webhook.webhookId, max) : [];
        hasDue = due.length === max;
        if (due.length === 0 && hasNext) {
          const maxNext = Math.min(maxMade, room);
          const next = await deps.nextNotifications({ ...webhook, position }, maxNext);
          const made = await makeDeliveries(deps, webhook, next, attempt);
          position = next.at(-1)?.position ?? position;
          room -= made.length;
          hasNext = made.length === maxNext;
          if (isPaused && hasNext && room > 0) continue;
          due = isPaused ? [] : made.slice(0, max);
          hasDue = made.length > max;
        }
        if (due.length === 0) return null;
        const sentAt = deps.now();
        const secrets = secretsOf(deps.signingKey, webhook, sentAt);
        const results = await Promise.all(
          due.map((delivery) =>
            deps.post(webhook.url, headersOf(secrets, delivery, sentAt), delivery.body, attempt.signal, delivery.trace),
          ),
        );
        if (attempt.signal.aborted) return null;
        const now = deps.now();
        const health = healthAfter(before, results, now);
        const attempts = due.map((delivery, index) => recorded(delivery, results[index], now));
        room += attempts.filter(({ status }) => status !== "waiting").length;
        await deps.storeAttempts(webhook, attempts, health, attempt);
        before = health.failing;
        if (health.disable !== null && before !== null) {
          return { reason: health.disable, failingSince: before.since.toISOString() };
        }
        // What came meanwhile is found when the list is read again.
        if (before !== null || (!hasDue && !hasNext)) return null;
      }
      return null;
    },
    record: async ({ appId, webhookId }, { reason, failingSince }) => {
      const commandId = derivedUuid("disable webhook", webhookId, failingSince);
      const cause = {
        actor: { kind: "reactor", name: "webhooks" },
        requestId: commandId,
        occurredAt: deps.now().toISOString(),
      } as const;
      const command = { type: "DisableWebhook", appId, webhookId, reason, failingSince } as const;
      await handleCommand(deps.log, appWebhooks, webhooksStream(appId), commandId, command, cause);
      return false;
    },
    retry: { initialBackoffMs: 1_000, maxBackoffMs: 60_000, giveUp: null },
    limits: { concurrent: maxServed, starts: maxStarts, open: 200, pauseMs: togetherMs, finishMs: 1_500 },
  };
}

/** Makes deliveries of the next notifications; none when the facts are behind them. */
async function makeDeliveries<Webhook extends WebhookToServe>(
  deps: DelivererDeps<Webhook>,
  webhook: Webhook,
  next: readonly Notification[],
  attempt: Attempt,
): Promise<readonly Delivery[]> {
  const position = next.at(-1)?.position;
  if (position === undefined || !(await deps.factsHavePassed(position))) return [];
  const bodies = await bodiesOf(deps, webhook.appId, next);
  const deliveries = next.map(({ eventId, type, trace }, index) => ({
    deliveryId: derivedUuid("webhook delivery", webhook.webhookId, eventId),
    ...{ type, body: bodies[index] ?? "", trace },
  }));
  await deps.storeDeliveries(webhook, deliveries, position, attempt);
  return deliveries.map((delivery) => ({ ...delivery, failing: null }));
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

function recorded(
  { deliveryId, failing: before }: Delivery,
  result: AttemptResult | undefined,
  now: Date,
): RecordedAttempt {
  if (result === undefined) throw new Error(`${deliveryId} has no result`);
  if (result.failure === null) return { ...result, deliveryId, status: "delivered", failing: null, dueAt: null };
  const failing = failingAfter(before, now);
  const dueAt = nextAttempt(failing, now);
  return { ...result, deliveryId, status: dueAt === null ? "failed" : "waiting", failing, dueAt };
}
