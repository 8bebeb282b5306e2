import type { TraceContext } from "../../domain/values/trace-context.ts";
import type { WebhookBacklog } from "../../domain/webhooks/backlog.ts";
import type { WebhookHealth } from "../../domain/webhooks/disabling.ts";
import type { NotificationType } from "../../domain/webhooks/events.ts";
import type { AttemptResult, Failing } from "../../domain/webhooks/retries.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import type { Attempt } from "../reactors/reactor.ts";
import type { BodyDeps, DeliveryBody, NotificationContent } from "./body.ts";
import type { SigningWebhook } from "./signature.ts";

/** A webhook that has something to send, or to make a delivery of. */
export interface WebhookToServe extends SigningWebhook, WebhookBacklog {
  readonly appId: number;
  readonly url: string;
  /** When it was created, changed or enabled last. */
  readonly settingsAt: Date;
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
  /** Before masking. */
  readonly body: string;
  readonly trace: TraceContext | undefined;
  /** Log position of the event. */
  readonly position: bigint;
}

export interface Delivery extends DeliveryBody {
  readonly deliveryId: string;
  readonly trace: TraceContext | undefined;
  readonly failing: Failing | null;
  /** When a caller last requested it; null once a request that began after that has ended. */
  readonly requestedAt: Date | null;
}

export interface RecordedAttempt extends AttemptResult {
  readonly deliveryId: string;
  /** The body that was sent; null: the stored one. */
  readonly body: string | null;
  readonly requestedAt: Date | null;
  readonly status: "waiting" | "delivered" | "failed";
  readonly failing: Failing | null;
  readonly dueAt: Date | null;
}

/** What a deliverer works with. */
export interface DelivererDeps<Webhook extends WebhookToServe> extends BodyDeps {
  readonly log: EventLog;
  /** The key that secrets are derived from. */
  readonly signingKey: string;
  /** Webhooks with something to send or to make a delivery of, the longest waiting first. */
  dueWebhooks(max: number): Promise<readonly Webhook[]>;
  /** The notifications of a webhook without a delivery, in the order of the log. */
  nextNotifications(webhook: Webhook, max: number): Promise<readonly Notification[]>;
  /** Waits until the facts, which masking reads, have passed a position; false after a second. */
  waitForFacts(position: bigint): Promise<boolean>;
  /** Stores deliveries of all notifications up to a position. Returns the ids of those that did not exist. */
  storeDeliveries(
    webhook: Webhook,
    deliveries: readonly NewDelivery[],
    position: bigint,
    attempt: Attempt,
  ): Promise<readonly string[]>;
  /** Deliveries to send now: requested ones, then those that are due unless the webhook is paused. */
  dueDeliveries(webhook: Webhook, isPaused: boolean, max: number): Promise<readonly Delivery[]>;
  storeAttempts(
    webhook: Webhook,
    attempts: readonly RecordedAttempt[],
    health: WebhookHealth,
    attempt: Attempt,
  ): Promise<void>;
  /** Sends one request, in a trace. Rejects when the signal aborts or the sending process exits. */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
    trace: TraceContext | undefined,
  ): Promise<AttemptResult>;
  now(): Date;
}
