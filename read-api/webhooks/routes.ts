import { uuidOf } from "../../domain/values/uuid.ts";
import { shownWebhook } from "../../domain/webhooks/app-webhooks.ts";
import type { Problem } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route, refuse } from "../../infra/http/routing/route.ts";
import type { DeliveryRow, DeliverySearch, WebhookRow } from "../../projections/webhooks/queries.ts";
import { listParameters, pageOf } from "../listing.ts";
import { listDeliveriesDocs, listWebhooksDocs, webhookDocs } from "./docs.ts";

export interface WebhookQueries {
  webhooksOf(appId: number): Promise<readonly WebhookRow[]>;
  webhookOf(appId: number, webhookId: string): Promise<WebhookRow | null>;
  deliveriesOf(
    search: DeliverySearch,
  ): Promise<{ readonly totalCount: number; readonly deliveries: readonly DeliveryRow[] }>;
}

const deliveriesQuery = {
  type: "object",
  properties: {
    status: { type: "string", enum: ["waiting", "delivered", "failed"] },
    ...listParameters,
  },
} as const;

const webhookNotFound: Problem = { status: 404, code: "WEBHOOK_NOT_FOUND" };
const path = "/admin/v1/apps/:app_name/webhooks";

/** Reads webhooks, without their secrets, and deliveries (contract/webhooks.md). */
export function webhookReadRoutes({ webhooksOf, webhookOf, deliveriesOf }: WebhookQueries): readonly Route[] {
  const findWebhook = async (appId: number, text: string | undefined): Promise<WebhookRow | null> => {
    const webhookId = uuidOf(text ?? "");
    return webhookId === null ? null : webhookOf(appId, webhookId);
  };
  return [
    appRoute({
      method: "get",
      path,
      docs: listWebhooksDocs,
      operation: "administer_app",
      reads: "control",
      handle: async ({ app }) => {
        const webhooks = (await webhooksOf(app.appId)).map(({ webhookId, ...row }) => shownWebhook(webhookId, row));
        return ok({ data: { totalCount: webhooks.length, webhooks } });
      },
    }),
    appRoute({
      method: "get",
      path: `${path}/:webhook_id`,
      docs: webhookDocs,
      operation: "administer_app",
      reads: "control",
      handle: async ({ app, params }) => {
        const webhook = await findWebhook(app.appId, params.webhook_id);
        return webhook === null
          ? refuse(webhookNotFound)
          : ok({ data: { webhook: shownWebhook(webhook.webhookId, webhook) } });
      },
    }),
    appRoute({
      method: "get",
      path: `${path}/:webhook_id/deliveries`,
      docs: listDeliveriesDocs,
      operation: "administer_app",
      query: deliveriesQuery,
      reads: "control",
      handle: async ({ app, params, query }) => {
        const webhook = await findWebhook(app.appId, params.webhook_id);
        if (webhook === null) return refuse(webhookNotFound);
        const search = { webhookId: webhook.webhookId, status: query.status ?? null, ...pageOf(query) };
        const { totalCount, deliveries } = await deliveriesOf(search);
        return ok({ data: { totalCount, deliveries: deliveries.map(shownDelivery) } });
      },
    }),
  ];
}

/** A delivery in a response. */
export function shownDelivery({ deliveryId, ...delivery }: DeliveryRow) {
  return { id: deliveryId, ...delivery };
}
