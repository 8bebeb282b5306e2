import { data } from "../../infra/http/openapi/route-docs.ts";
import {
  acceptedDelivery,
  changedWebhook,
  webhookExample,
  webhookWithSecret,
} from "../../infra/http/openapi/webhook-schemas.ts";
import { rejectionsOf } from "../rejection-statuses.ts";

const contract = "contract/webhooks.md#webhooks";
const { url, types } = webhookExample;
const secret = "whsec_...";
const notFound = rejectionsOf("WEBHOOK_NOT_FOUND");
const disabled = { status: 409, code: "WEBHOOK_DISABLED" };

export const createWebhookDocs = {
  summary: "Create a webhook",
  description: "Sends events of the app to the address from now on. The secret is shown only in this response.",
  contract,
  request: { url, types },
  responses: {
    201: {
      schema: data({ webhook: webhookWithSecret }),
      example: { data: { webhook: { ...webhookExample, secret } } },
    },
  },
  problems: rejectionsOf("WEBHOOK_LIMIT_REACHED"),
};

export const changeWebhookDocs = {
  summary: "Change a webhook",
  description:
    "Omitted fields keep their values. With `rotateSecret` the response has a new secret; for a day, requests are " +
    "also signed with the old one.",
  contract,
  request: { enabled: true },
  responses: {
    200: { schema: data({ webhook: changedWebhook }), example: { data: { webhook: webhookExample } } },
  },
  problems: notFound,
};

export const deleteWebhookDocs = {
  summary: "Delete a webhook",
  description: "Stops all requests to the webhook. Waiting deliveries are dropped.",
  contract,
  responses: { 204: null },
  problems: notFound,
};

export const testWebhookDocs = {
  summary: "Send a test event to a webhook",
  description: "Creates a delivery of the type `webhook.test`.",
  contract: "contract/webhooks.md#deliveries",
  responses: acceptedDelivery,
  problems: [...notFound, disabled, { status: 404, code: "DELIVERY_NOT_FOUND" }],
};

export const retryDeliveryDocs = {
  summary: "Retry a delivery",
  description: "Sends the delivery now, whatever its status.",
  contract: "contract/webhooks.md#deliveries",
  responses: acceptedDelivery,
  problems: [{ status: 404, code: "DELIVERY_NOT_FOUND" }, disabled],
};
