import { data, integer, listOf } from "../../infra/http/openapi/route-docs.ts";
import { delivery, deliveryExample, webhook, webhookExample } from "../../infra/http/openapi/webhook-schemas.ts";

const problems = [{ status: 404, code: "WEBHOOK_NOT_FOUND" }];

export const listWebhooksDocs = {
  summary: "List the webhooks of an app",
  description: "Returns the webhooks, newest first, without their secrets.",
  contract: "contract/webhooks.md#webhooks",
  responses: {
    200: {
      schema: data({ totalCount: integer, webhooks: listOf(webhook) }),
      example: { data: { totalCount: 1, webhooks: [webhookExample] } },
    },
  },
};

export const webhookDocs = {
  summary: "Get a webhook",
  description: "Returns the webhook, whether it is enabled, and if not, the reason.",
  contract: "contract/webhooks.md#webhooks",
  responses: { 200: { schema: data({ webhook }), example: { data: { webhook: webhookExample } } } },
  problems,
};

export const listDeliveriesDocs = {
  summary: "List the deliveries of a webhook",
  description: "Returns the deliveries, newest first, with the result of the last request of each.",
  contract: "contract/webhooks.md#deliveries",
  responses: {
    200: {
      schema: data({ totalCount: integer, deliveries: listOf(delivery) }),
      example: { data: { totalCount: 1, deliveries: [deliveryExample] } },
    },
  },
  problems,
};
