import { data } from "../../infra/http/openapi/route-docs.ts";
import { acceptedDelivery, webhookExample, webhookWithSecret } from "../../infra/http/openapi/webhook-schemas.ts";
import { rejectionsOf } from "../problems.ts";

const contract = "contract/webhooks.md#webhooks";
const { url, types } = webhookExample;
const secret = "whsec_...";
const schema = data({ webhook: webhookWithSecret });
const notFound = rejectionsOf("WEBHOOK_NOT_FOUND");
const disabled = { status: 409, code: "WEBHOOK_DISABLED" };

export const createWebhookDocs = {
  summary: "Create a webhook",
  description: "From now on, what happens to the app is sent to the address. The secret is shown only now.",
  contract,
  request: { url, types },
  answers: { 201: { schema, example: { data: { webhook: { ...webhookExample, secret } } } } },
  problems: rejectionsOf("WEBHOOK_LIMIT_REACHED"),
};

export const changeWebhookDocs = {
  summary: "Change a webhook",
  description:
    "What is left out stays. With `rotateSecret` the answer has a new secret; the old one signs for a day too.",
  contract,
  request: { enabled: true },
  answers: { 200: { schema, example: { data: { webhook: webhookExample } } } },
  problems: notFound,
};

export const deleteWebhookDocs = {
  summary: "Delete a webhook",
  description: "Nothing is sent any more, also not what waits.",
  contract,
  answers: { 204: null },
  problems: notFound,
};

export const testWebhookDocs = {
  summary: "Send a test to a webhook",
  description: "A delivery of type `webhook.test`.",
  contract: "contract/webhooks.md#deliveries",
  answers: acceptedDelivery,
  problems: [...notFound, disabled, { status: 404, code: "DELIVERY_NOT_FOUND" }],
};

export const retryDeliveryDocs = {
  summary: "Send a delivery again",
  description: "At once, whatever became of it.",
  contract: "contract/webhooks.md#deliveries",
  answers: acceptedDelivery,
  problems: [{ status: 404, code: "DELIVERY_NOT_FOUND" }, disabled],
};
