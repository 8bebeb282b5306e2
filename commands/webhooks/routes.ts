import { randomUUID } from "node:crypto";
import { faultsAt } from "../../domain/fault.ts";
import { webhooksStream } from "../../domain/streams.ts";
import type { TraceContext } from "../../domain/values/trace-context.ts";
import { uuidOf } from "../../domain/values/uuid.ts";
import { type AppWebhooksState, appWebhooks, shownWebhook } from "../../domain/webhooks/app-webhooks.ts";
import { previousSecretMs } from "../../domain/webhooks/limits.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { type Problem, validationFailed } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Reply, type Route, refuse, reply } from "../../infra/http/routing/route.ts";
import { derivedUuid } from "../derived-ids.ts";
import { handleHttpCommand } from "../handle-http-command.ts";
import { bodyOf } from "./body.ts";
import { changeWebhookDocs, createWebhookDocs, deleteWebhookDocs, retryDeliveryDocs, testWebhookDocs } from "./docs.ts";
import { type AddressRules, addressFaults, changeBody, createBody } from "./schemas.ts";
import { hashOfSecret, secretText } from "./signature.ts";

/** A webhook of an app as it is in the read model. */
interface Webhook {
  readonly disabledReason: string | null;
  /** Of enabled webhooks only the read model has it. */
  readonly failingSince: Date | null;
}

export interface WebhookRouteDeps extends AddressRules {
  readonly log: EventLog;
  /** The key that secrets are derived from. */
  readonly signingKey: string;
  /** A webhook of an app; null when it has none of that id. */
  webhookOf(appId: number, webhookId: string): Promise<Webhook | null>;
  /** The webhook of a delivery; null when there is no such delivery. */
  webhookOfDelivery(deliveryId: string): Promise<string | null>;
  /** Adds a delivery of type `webhook.test`; returns it in the shape of the response. */
  addDelivery(
    webhookId: string,
    delivery: {
      readonly deliveryId: string;
      readonly type: "webhook.test";
      readonly body: string;
      readonly trace: TraceContext | undefined;
    },
    now: Date,
  ): Promise<object | null>;
  /** Makes a delivery due, and returns it in the shape of the response; null when there is no such delivery. */
  retry(webhookId: string, deliveryId: string, now: Date): Promise<object | null>;
}

const webhookNotFound: Problem = { status: 404, code: "WEBHOOK_NOT_FOUND" };
const webhookDisabled: Problem = { status: 409, code: "WEBHOOK_DISABLED" };
const deliveryNotFound: Problem = { status: 404, code: "DELIVERY_NOT_FOUND" };
const path = "/admin/v1/apps/:app_name/webhooks";

/**
 * Creates, changes and deletes webhooks, and sends deliveries by hand (contract/webhooks.md#webhooks,
 * contract/webhooks.md#deliveries). A secret is in the response that creates it and nowhere else.
 */
export function webhookRoutes(deps: WebhookRouteDeps): readonly Route[] {
  return [createRoute(deps), changeRoute(deps), deleteRoute(deps), testRoute(deps), retryRoute(deps)];
}

function createRoute({ log, signingKey, ...addressRules }: WebhookRouteDeps): Route {
  return appRoute({
    method: "post",
    path,
    docs: createWebhookDocs,
    operation: "administer_app",
    body: createBody,
    rules: (body) => addressFaults(body, addressRules),
    handle: async (request) => {
      const { app, body, commandId, receivedAt: at } = request;
      const faults = addressFaults(body, addressRules);
      if (faults.length > 0) return refuse(validationFailed(faultsAt(["body"], faults)));
      const { appId } = app;
      const { description = null, ...given } = body;
      const webhookId = derivedUuid("webhook", commandId);
      const { text: secret, stored } = newSecret(signingKey, webhookId);
      const command = { type: "CreateWebhook", webhookId, appId, ...given, description, ...stored, at } as const;
      return handleHttpCommand(log, appWebhooks, webhooksStream(appId), command, request, ({ position, state }) => {
        const webhook = { ...shownOf(state, webhookId), secret };
        return reply(201, { data: { webhook } }, { position, visibleIn: "control" });
      });
    },
  });
}

function changeRoute({ log, signingKey, webhookOf, ...addressRules }: WebhookRouteDeps): Route {
  return appRoute({
    method: "patch",
    path: `${path}/:webhook_id`,
    docs: changeWebhookDocs,
    operation: "administer_app",
    body: changeBody,
    rules: (body) => addressFaults(body, addressRules),
    handle: async (request) => {
      const { app, body, params, receivedAt: at } = request;
      const faults = addressFaults(body, addressRules);
      if (faults.length > 0) return refuse(validationFailed(faultsAt(["body"], faults)));
      const { appId } = app;
      const webhookId = uuidOf(params.webhook_id ?? "");
      if (webhookId === null) return refuse(webhookNotFound);
      // The webhook is changed even if the read model cannot be read.
      const before = await webhookOf(appId, webhookId).catch(() => null);
      const { rotateSecret = false, ...changes } = body;
      const { text, stored } = newSecret(signingKey, webhookId);
      const previousUntil = new Date(Date.parse(at) + previousSecretMs).toISOString();
      const rotation = rotateSecret ? { ...stored, previousUntil } : null;
      const command = { type: "ChangeWebhook", webhookId, appId, changes, rotation, at } as const;
      return handleHttpCommand(log, appWebhooks, webhooksStream(appId), command, request, ({ position, state }) => {
        const shown = shownOf(state, webhookId);
        // Failures before this change of the settings do not count.
        const isReset = state.get(webhookId)?.since === at;
        const failingSince = shown.failingSince ?? (isReset ? null : (before?.failingSince ?? null));
        const webhook = { ...shown, failingSince, ...(rotateSecret ? { secret: text } : {}) };
        return ok({ data: { webhook } }, { position, visibleIn: "control" });
      });
    },
  });
}

function deleteRoute({ log }: WebhookRouteDeps): Route {
  return appRoute({
    method: "delete",
    path: `${path}/:webhook_id`,
    docs: deleteWebhookDocs,
    operation: "administer_app",
    handle: async (request) => {
      const { appId } = request.app;
      const webhookId = uuidOf(request.params.webhook_id ?? "");
      if (webhookId === null) return refuse(webhookNotFound);
      const command = { type: "DeleteWebhook", webhookId, appId } as const;
      return handleHttpCommand(log, appWebhooks, webhooksStream(appId), command, request, ({ position }) =>
        reply(204, null, { position, visibleIn: "control" }),
      );
    },
  });
}

function testRoute(deps: WebhookRouteDeps): Route {
  return appRoute({
    method: "post",
    path: `${path}/:webhook_id/test`,
    docs: testWebhookDocs,
    operation: "administer_app",
    reads: "control",
    handle: async ({ app, params, commandId, receivedAt, trace }) => {
      const webhookId = uuidOf(params.webhook_id ?? "");
      if (webhookId === null) return refuse(webhookNotFound);
      const problem = deliveryProblem(await deps.webhookOf(app.appId, webhookId));
      if (problem !== null) return refuse(problem);
      const deliveryId = derivedUuid("webhook test", commandId);
      const now = new Date(receivedAt);
      const type = "webhook.test";
      const body = bodyOf(type, now, app.name, { webhookId });
      return accepted(await deps.addDelivery(webhookId, { deliveryId, type, body, trace }, now));
    },
  });
}

function retryRoute(deps: WebhookRouteDeps): Route {
  return appRoute({
    method: "post",
    path: `${path}/deliveries/:delivery_id/retry`,
    docs: retryDeliveryDocs,
    operation: "administer_app",
    reads: "control",
    handle: async ({ app, params, receivedAt }) => {
      const deliveryId = uuidOf(params.delivery_id ?? "");
      const webhookId = deliveryId === null ? null : await deps.webhookOfDelivery(deliveryId);
      if (deliveryId === null || webhookId === null) return refuse(deliveryNotFound);
      const problem = deliveryProblem(await deps.webhookOf(app.appId, webhookId));
      if (problem !== null) return refuse(problem === webhookNotFound ? deliveryNotFound : problem);
      return accepted(await deps.retry(webhookId, deliveryId, new Date(receivedAt)));
    },
  });
}

function newSecret(signingKey: string, webhookId: string) {
  const secretId = randomUUID();
  const text = secretText(signingKey, webhookId, secretId);
  return { text, stored: { secretId, secretHash: hashOfSecret(text) } };
}

/** Why nothing can be delivered to a webhook; null when it can. */
function deliveryProblem(webhook: Webhook | null): Problem | null {
  if (webhook === null) return webhookNotFound;
  return webhook.disabledReason === null ? null : webhookDisabled;
}

function accepted(delivery: object | null): Reply {
  return delivery === null ? refuse(deliveryNotFound) : reply(202, { data: { delivery } });
}

function shownOf(state: AppWebhooksState, webhookId: string) {
  const webhook = state.get(webhookId);
  if (webhook === undefined) throw new Error(`Webhook ${webhookId} was written and is not there`);
  return shownWebhook(webhookId, webhook);
}
