import { data, integer, listOf } from "../../infra/http/openapi/route-docs.ts";
import { delivery, deliveryExample, webhook, webhookExample } from "../../infra/http/openapi/webhook-schemas.ts";

const problems = [{ status: 404, code: "WEBHOOK_NOT_FOUND" }];

export const listWebhooksDocs = {
  summary: "List the webhooks of an app",
  description: "The newest first, without their secrets.",
  contract: "contract/webhooks.md#webhooks",
  answers: {
    200: {
      schema: data({ totalCount: integer, webhooks: listOf(webhook) }),
      example: { data: { totalCount: 1, webhooks: [webhookExample] } },
    },
  },
};

export const webhookDocs = {
  summary: "Read a webhook",
  description: "Whether it is enabled, and if not, why.",
  contract: "contract/webhooks.md#webhooks",
  answers: { 200: { schema: data({ webhook }), example: { data: { webhook: webhookExample } } } },
  problems,
};

export const listDeliveriesDocs = {
  summary: "List the deliveries of a webhook",
  description: "The newest first, with what came of the last request of each.",
  contract: "contract/webhooks.md#deliveries",
  answers: {
    200: {
      schema: data({ totalCount: integer, deliveries: listOf(delivery) }),
      example: { data: { totalCount: 1, deliveries: [deliveryExample] } },
    },
  },
  problems,
};
