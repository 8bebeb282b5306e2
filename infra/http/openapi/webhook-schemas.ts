import { boolean, data, instant, integer, listOf, nullable, object, oneOf, text, uuid } from "./route-docs.ts";

const members = {
  id: uuid,
  url: text,
  types: listOf(
    oneOf("attribution.decided", "attribution.revised", "upload.finished", "report.finished", "export.finished"),
  ),
  description: nullable(text),
  enabled: boolean,
  disabledReason: nullable(text),
  failingSince: nullable(instant),
  createdAt: instant,
};
export const webhook = object(members);
/** A webhook with its secret, which only the response that creates the secret contains. */
export const webhookWithSecret = object({ ...members, secret: text });
/** A webhook, with its secret if the change has created a new one. */
export const changedWebhook = object(members, { secret: text });

export const webhookExample = {
  id: "3f0c4a54-8d0f-5a3e-9b1e-2f1f0a6f7c11",
  url: "https://shop.example/touchledger",
  types: ["attribution.decided"],
  description: null,
  enabled: true,
  disabledReason: null,
  failingSince: null,
  createdAt: "2026-01-05T00:00:00.000Z",
};

export const delivery = object({
  id: uuid,
  type: text,
  status: oneOf("waiting", "delivered", "failed"),
  attempts: integer,
  createdAt: instant,
  attemptedAt: nullable(instant),
  nextAttemptAt: nullable(instant),
  responseStatus: nullable(integer),
  failure: nullable(text),
});

export const deliveryExample = {
  id: "6f1e2a57-6b0c-8e0f-8a3d-1d7b0a6e4c22",
  type: "webhook.test",
  status: "waiting",
  attempts: 0,
  createdAt: "2026-01-05T00:00:00.000Z",
  attemptedAt: null,
  nextAttemptAt: "2026-01-05T00:00:00.000Z",
  responseStatus: null,
  failure: null,
};

export const acceptedDelivery = {
  202: { schema: data({ delivery }), example: { data: { delivery: deliveryExample } } },
};
