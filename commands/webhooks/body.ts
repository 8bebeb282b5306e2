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

/** The data of a notification about an attribution, with what masking withholds. */
export type AttributionData = Pick<AttributionDecided["data"], "at" | "winner"> &
  Partial<Pick<AttributionRevised["data"], "formerWinner">>;

export interface BodyDeps {
  findAppById(appId: number): Promise<RegisteredApp | null>;
  /** The data without what masking withholds now. */
  shownAttribution(app: RegisteredApp, data: AttributionData): Promise<object>;
}

/** The body of a request (contract/webhooks.md#types). */
export function bodyOf(type: NotificationType | "webhook.test", at: Date, app: string, data: unknown): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), app, data });
}

/** The bodies of an app's notifications, without what masking withholds. */
export async function bodiesOf(
  { findAppById, shownAttribution }: BodyDeps,
  appId: number,
  notifications: readonly NotificationContent[],
): Promise<readonly string[]> {
  const app = await findAppById(appId);
  if (app === null) throw new Error(`App ${appId} is unknown`);
  return Promise.all(
    notifications.map(async ({ type, at, data: text }) => {
      const data = JSON.parse(text);
      const isAttribution = type.startsWith("attribution.");
      return bodyOf(type, at, app.name, isAttribution ? await shownAttribution(app, data) : data);
    }),
  );
}
