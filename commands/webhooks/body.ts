import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import type { AttributionDecided, AttributionRevised } from "../../domain/attribution/events.ts";
import type { NotificationType } from "../../domain/webhooks/events.ts";

/** A notification that is to be sent. */
export interface NotificationContent {
  readonly type: NotificationType;
  /** When its event was recorded. */
  readonly at: Date;
  /** JSON: `data` of the body, with what masking withholds. */
  readonly data: string;
}

/** The body of a delivery, which is masked at its first request. */
export interface DeliveryBody {
  readonly type: NotificationType | "webhook.test";
  readonly body: string;
  /** Requests so far. */
  readonly attempts: number;
}

/** The data of a notification about an attribution, before masking. */
export type AttributionData = Pick<AttributionDecided["data"], "at" | "winner"> &
  Partial<Pick<AttributionRevised["data"], "formerWinner">>;

export interface BodyDeps {
  requireApp(appId: number): Promise<RegisteredApp>;
  /** The data without what masking withholds now. */
  shownAttribution(app: RegisteredApp, data: AttributionData): Promise<object>;
}

/** The body of a request (contract/webhooks.md#types). */
export function bodyOf(type: NotificationType | "webhook.test", at: Date, app: string, data: unknown): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), app, data });
}

/** The bodies of an app's notifications, before masking. */
export async function bodiesOf(
  { requireApp }: BodyDeps,
  appId: number,
  notifications: readonly NotificationContent[],
): Promise<readonly string[]> {
  const { name } = await requireApp(appId);
  return notifications.map(({ type, at, data }) => bodyOf(type, at, name, JSON.parse(data)));
}

/**
 * An app's deliveries with the bodies to send: that of an attribution is masked as of its first request, and does not
 * change afterwards.
 */
export async function masked<Unmasked extends DeliveryBody>(
  { requireApp, shownAttribution }: BodyDeps,
  appId: number,
  deliveries: readonly Unmasked[],
): Promise<readonly Unmasked[]> {
  const app = await requireApp(appId);
  return Promise.all(
    deliveries.map(async (delivery) => {
      if (delivery.attempts > 0 || !delivery.type.startsWith("attribution.")) return delivery;
      const { data, ...rest } = JSON.parse(delivery.body);
      return { ...delivery, body: JSON.stringify({ ...rest, data: await shownAttribution(app, data) }) };
    }),
  );
}
